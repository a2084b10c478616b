import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The user whom the server admits, as clients get it in `AWS_…` variables. */
export const s3Credentials = {
  AWS_ACCESS_KEY_ID: 'test:tester',
  AWS_SECRET_ACCESS_KEY: 'tester-secret',
} as const

/** An S3 server of our own on a free port; disposing of it removes it. */
export interface S3Server extends AsyncDisposable {
  /** Its origin: scheme, host and port. */
  readonly endpoint: string
  /** Address of a store in the form of the configuration; empty unless `name` is already in use. */
  readonly store: (name: string) => string
  /** Ends it as a crash does, at once. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port, with the same objects. */
  readonly start: () => Promise<void>
  /** Stops it, or lets it continue. */
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void
}

const python = '/usr/bin/python3'
const program = fileURLToPath(new URL('s3-server.py', import.meta.url))

let isInstalled: boolean | undefined

/** True if OpenStack Swift is installed; reports it loudly if it is not. */
export function hasS3(): boolean {
  isInstalled ??= spawnSync(python, ['-c', 'import swift.common.middleware.s3api']).status === 0
  if (!isInstalled) {
    process.stderr.write('\nSKIPPED: tests on S3, for no server is installed (python3-swift)\n')
  }
  return isInstalled
}

/** Starts an empty server. */
export async function startS3(): Promise<S3Server> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder()).path
  const port = await freePort()
  let child = await launch(folder, port)
  stack.defer(() => end(child))
  const owned = stack.move()
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    store: (name) => storeAt(endpoint, name),
    kill: () => end(child),
    start: async () => {
      child = await launch(folder, port)
    },
    signal: (name) => void child.kill(name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Address of a store on the server at `endpoint`; its bucket is created on first use. */
export function storeAt(endpoint: string, name: string): string {
  return `s3://deposit-tests/${name}?endpoint=${endpoint}&create_bucket=true`
}

async function launch(folder: string, port: number): Promise<ChildProcess> {
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = s3Credentials
  const args = [program, folder, String(port), access, secret]
  const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  const said: string[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)))
  for await (const line of createInterface(child.stdout)) {
    if (line === 'READY') return child
  }
  throw new Error(`the S3 server ended:\n${said.join('')}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
