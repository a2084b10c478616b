import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listeningUrl } from '../support/depositd.ts'
import { asOwner } from '../support/owner.ts'
import { bodyOf, send } from '../support/http.ts'
import { patienceMs, within } from './within.ts'

const depositd = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

export interface Circumstances {
  /** A command that runs another one, such as `strace` or `prlimit` with options. */
  readonly under?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** The real daemon on a home that outlives it. */
export interface Service {
  /** Origin, without a slash at the end. */
  readonly url: string
  readonly home: string
  readonly pid: number
  /** Time from its start until it accepted requests. */
  readonly readyMs: number
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<unknown>
  /** The last lines it logged. */
  readonly log: () => string
  /** Kills it, and waits until it has ended. */
  readonly kill: () => Promise<void>
}

export interface Starting {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  readonly log: () => string
}

/** Starts the process; it may end before it accepts requests. */
export function spawnService(home: string, { under = [], env = {} }: Circumstances = {}): Starting {
  const [command, ...args] = [...under, process.execPath, depositd, 'serve', '--port', '0']
  const child = spawn(command, args, {
    env: {
      ...process.env,
      DEPOSIT_LOG_LEVEL: 'warn',
      DEPOSIT_REVIEW: 'optional',
      ...env,
      DEPOSIT_HOME: home,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const tail: string[] = []
  child.stderr.on('data', (chunk: Buffer) => {
    tail.push(String(chunk))
    if (tail.length > 50) tail.shift()
  })
  return { child, ended: once(child, 'exit'), log: () => tail.join('') }
}

/**
 * Starts the daemon on `home` and waits until it accepts requests.
 *
 * @throws {Error} it ended before, with what it logged
 */
export async function startService(home: string, circumstances?: Circumstances): Promise<Service> {
  const started = performance.now()
  const { child, ended, log } = spawnService(home, circumstances)
  const url = await within(patienceMs, `the start of depositd: ${log()}`, listeningUrl(child))
  if (url === undefined) throw new Error(`depositd did not start: ${log()}`)
  const readyMs = performance.now() - started
  const pid = await announcedPid(home)
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) endNow(pid)
    await within(patienceMs, `the end of process ${pid}, which was killed`, ended)
  }
  return { url, home, pid, readyMs, ended, log, kill }
}

/** The process id of the daemon itself: the child may be a program that runs it. */
async function announcedPid(home: string): Promise<number> {
  const { pid } = JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as { pid: number }
  return pid
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Runs an operator's command in the daemon; resolves to the last line of its output. */
export async function operate(
  { url, home }: Service,
  command: string,
  options: Readonly<Record<string, string>>,
): Promise<string> {
  const path = '/local/operator'
  const headers = await asOwner(url, home, path)
  const reply = await send('POST', url + path, { headers, json: { command, options } })
  return bodyOf<{ readonly results: readonly string[] }>(reply, 200).results.at(-1) ?? ''
}
