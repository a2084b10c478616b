import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { packageRoot } from '../version.ts'
import type { Environment } from '../config.ts'

/** The daemon's exit statuses that mean something here. @see sysexits.h */
export const daemonExits = { portInUse: 69, inputOutput: 74, homeInUse: 75 } as const

/** A started daemon, or the exit status of one that ended. */
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

/** The log of daemons started by a command. */
export function logFile(home: string): string {
  return join(home, 'logs', 'depositd.log')
}

/** A longer log is rotated when the next daemon starts. Bytes. */
const mostLogged = 16 * 1024 * 1024

/** Rotates a long log; one old log is kept. */
async function setAsideLong(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found && found.size > mostLogged) await rename(path, `${path}.1`)
}

/** Starts a detached daemon, and waits until it answers, ends, or times out. */
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

/** Polls until there is an answer or time is up. */
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
