import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'

const depositd = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

/** The real daemon as a process of its own, with a temporary home. */
export interface DaemonProcess extends AsyncDisposable {
  /** Origin, without a slash at the end. */
  readonly url: string
  readonly home: string
  readonly pid: number
  /** Runs an operator's command on the same home; resolves to its output. */
  readonly operate: (args: readonly string[]) => Promise<string>
  /** Its log so far. */
  readonly log: () => string
}

/** Starts `depositd serve` on a free port and waits until it accepts requests. */
export async function startDaemon(environment: NodeJS.ProcessEnv = {}): Promise<DaemonProcess> {
  const home = await mkdtemp(join(tmpdir(), 'deposit-home-'))
  const env = { ...process.env, ...compileCache(), ...environment, DEPOSIT_HOME: home }
  const child = spawn(process.execPath, [depositd, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: string[] = []
  child.stderr.on('data', (chunk: Buffer) => complaints.push(String(chunk)))
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
    await rm(home, { recursive: true, force: true })
  }
  const url = await Promise.race([listeningUrl(child.stdout), ended.then(() => undefined)])
  if (url === undefined) throw new Error(`depositd did not start: ${complaints.join('')}`)
  return {
    url,
    home,
    pid: child.pid ?? 0,
    operate: (args) => operate(args, env),
    log: () => complaints.join(''),
    [Symbol.asyncDispose]: stop,
  }
}

async function listeningUrl(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface(output)) {
    const url = /listening on (\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    output.resume()
    return url
  }
  return undefined
}

async function operate(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [depositd, ...args], { env })
  const [stdout, stderr] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    once(child, 'close'),
  ])
  if (child.exitCode === 0) return stdout.join('')
  throw new Error(`depositd ${args.join(' ')} ended with ${child.exitCode}: ${stderr.join('')}`)
}
