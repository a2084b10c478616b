import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'
import { freePort } from './free-port.ts'
import { operateAsOwner } from './owner.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { User } from './user.ts'

const depositd = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

/** A daemon in its own process that can be killed and started again on the same home. */
export interface LastingDaemon extends AsyncDisposable {
  /** Scheme, host and port: the same after each start. */
  readonly origin: string
  readonly home: string
  readonly pid: () => number
  /** A user with both scopes; the token outlives every restart. */
  readonly owner: User
  /** Ends the process as a crash does, at once. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Its log since the start. */
  readonly log: () => string
}

/**
 * @param env variables in addition to those of this process
 * @param wrap a command to run the daemon under, such as `strace`
 * @param home an existing folder, instead of a temporary one
 */
export async function lastingDaemon({
  env = {},
  wrap = [],
  home,
}: {
  readonly env?: NodeJS.ProcessEnv
  readonly wrap?: readonly string[]
  readonly home?: string
} = {}): Promise<LastingDaemon> {
  await using stack = new AsyncDisposableStack()
  const root = home ?? stack.use(await temporaryFolder()).path
  const cache = wrap.length === 0 ? compileCache() : {}
  const environment = { ...process.env, ...cache, ...env, DEPOSIT_HOME: root }
  const port = String(await freePort())
  let running = await launch(environment, wrap, port)
  stack.defer(() => end(running.child))
  const email = 'owner@example.org'
  const rights = { scope: 'deposit:write deposit:actions', expires: 'never' }
  await operateAsOwner(running.url, root, 'user add', { email, admin: 'false' })
  const made = await operateAsOwner(running.url, root, 'token create', { user: email, ...rights })
  const token = made.at(-1) ?? ''
  const owned = stack.move()
  return {
    origin: running.url,
    home: root,
    pid: () => running.child.pid ?? 0,
    // A kept connection may belong to a daemon that was killed.
    owner: new User(`${running.url}/api`, async () => token, { connection: 'close' }),
    kill: () => end(running.child),
    start: async () => {
      running = await launch(environment, wrap, port)
    },
    log: () => running.said.join(''),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface Running {
  readonly child: ChildProcess
  readonly url: string
  /** The lines of its errors and its log. */
  readonly said: readonly string[]
}

async function launch(
  env: NodeJS.ProcessEnv,
  wrap: readonly string[],
  port: string,
): Promise<Running> {
  const serve = [process.execPath, depositd, 'serve', '--port', port]
  const child = spawn('env', [...wrap, ...serve], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)))
  for await (const line of createInterface(child.stdout)) {
    const url = /listening on (\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { child, url, said }
  }
  throw new Error(`depositd did not start: ${said.join('')}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
