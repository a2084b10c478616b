import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isHealth } from '../client/bodies.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'

/** What the daemon says of itself in `daemon.json` while it accepts requests. */
export interface RunningDaemon {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly started: string
}

/**
 * The daemon of `home`, if it runs: its process lives, is ours, and answers where it says. A file
 * that a crash left behind, and a stranger on its port, are no daemon.
 */
export async function findDaemon(
  home: string,
  http: HttpSender,
): Promise<RunningDaemon | undefined> {
  const daemon = await readDaemonFile(home)
  if (daemon === undefined || !isAlive(daemon.pid)) return undefined
  return (await isHealthy(daemon, http)) ? daemon : undefined
}

/** What `daemon.json` says, whether it is still true or not. */
export async function readDaemonFile(home: string): Promise<RunningDaemon | undefined> {
  const text = await readFile(join(home, 'daemon.json'), 'utf8').catch(() => undefined)
  const daemon = text === undefined ? undefined : parse(text)
  return isDaemon(daemon) ? daemon : undefined
}

/** True for a process of this user's: another user's is not our daemon. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function isHealthy({ url, version }: RunningDaemon, http: HttpSender): Promise<boolean> {
  const connection = new Connection(new URL(url), http, withoutToken)
  try {
    const health = await connection.json('find the daemon', isHealth, {
      method: 'GET',
      path: '/health',
    })
    return health.version === version
  } catch {
    http.signal.throwIfAborted()
    return false
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isDaemon(value: unknown): value is RunningDaemon {
  if (typeof value !== 'object' || value === null) return false
  if (!('pid' in value) || !Number.isSafeInteger(value.pid) || Number(value.pid) <= 0) return false
  if (!('version' in value) || typeof value.version !== 'string') return false
  return 'url' in value && typeof value.url === 'string' && isLoopback(URL.parse(value.url))
}

/** True when what is sent to `url` does not leave this machine. */
export function isLoopback(url: URL | null): boolean {
  const host = url?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
