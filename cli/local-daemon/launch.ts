import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { packageRoot } from '../version.ts'
import type { Environment } from '../config.ts'

/** The daemon's exit statuses that mean something here. @see sysexits.h */
export const daemonExits = { portInUse: 69, inputOutput: 74, homeInUse: 75 } as const

/** A daemon on its way up, or one that ended before it was. */
export interface Launched<Daemon> {
  readonly daemon?: Daemon
  readonly exitStatus?: number | null
}

interface LaunchOptions<Daemon> {
  readonly home: string
  readonly environment: Environment
  readonly port: string
  readonly timeoutMs: number
  /** The daemon, once it is up. */
  readonly find: () => Promise<Daemon | undefined>
}

/** Where the output of daemons that were started from here goes. */
export function logFile(home: string): string {
  return join(home, 'logs', 'depositd.log')
}

/** Bytes of a log that is set aside when the next daemon is started. */
const mostLogged = 16 * 1024 * 1024

/** Keeps one log beside the one that is written. */
async function setAsideLong(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found && found.size > mostLogged) await rename(path, `${path}.1`)
}

/** Starts a daemon that outlives us, and waits until it answers, ends, or takes too long. */
export async function launch<Daemon>(options: LaunchOptions<Daemon>): Promise<Launched<Daemon>> {
  const { home, environment, port, timeoutMs, find } = options
  await mkdir(dirname(logFile(home)), { recursive: true, mode: 0o700 })
  await setAsideLong(logFile(home))
  await using log = await open(logFile(home), 'a', 0o600)
  const child = spawn(
    process.execPath,
    [join(packageRoot, 'daemon/bin.mjs'), 'serve', '--port', port, '--log-file', logFile(home)],
    { cwd: home, env: { ...environment }, detached: true, stdio: ['ignore', log.fd, log.fd] },
  )
  const ended = once(child, 'exit').then(([status]): number | null =>
    typeof status === 'number' ? status : null,
  )
  const launched = await Promise.race([
    ended.then((exitStatus) => ({ exitStatus })),
    pollUntil(timeoutMs, find).then((daemon) => (daemon === undefined ? {} : { daemon })),
  ])
  if (!('daemon' in launched) && child.exitCode === null) child.kill()
  child.unref()
  return launched
}

/** Asks again and again, until there is an answer or time is up. */
export async function pollUntil<T>(
  timeoutMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = performance.now() + timeoutMs
  while (performance.now() < end) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await wait(40)
  }
  return undefined
}
