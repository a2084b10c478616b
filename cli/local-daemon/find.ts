import { advice } from '../advice.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { daemonProofPath, isDaemonProof } from '../../core/contract/owner-proof.ts'
import { readPrivateFile } from '../private-file.ts'
import { isLoopback } from '../client/address.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import type { Advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

/** What the daemon says of itself in `daemon.json` while it accepts requests. */
export interface RunningDaemon {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly started: string
}

/**
 * The daemon of `home`, if it runs: its process lives, is ours, and proves where it says it is that
 * it knows the owner's key. A file that a crash left behind, and a stranger on its port, are no
 * daemon, and get no token.
 */
export async function findDaemon(
  home: string,
  http: HttpSender,
): Promise<RunningDaemon | undefined> {
  const daemon = await readDaemonFile(home)
  if (daemon === undefined || !isAlive(daemon.pid)) return undefined
  return (await provesItself(daemon, home, http)) ? daemon : undefined
}

/** What `daemon.json` says, whether it is still true or not. */
export async function readDaemonFile(home: string): Promise<RunningDaemon | undefined> {
  const text = await readFile(join(home, 'daemon.json'), 'utf8').catch(() => undefined)
  const daemon = text === undefined ? undefined : parse(text)
  return isDaemon(daemon) ? daemon : undefined
}

/** True where the daemon of `home` proves itself at the origin of `server`. */
export async function isDaemonAt(server: URL, home: string, http: HttpSender): Promise<boolean> {
  const daemon = await findDaemon(home, http)
  return daemon !== undefined && new URL(daemon.url).origin === server.origin
}

/**
 * For what is at `origin` in the place of the daemon of `home`, or nothing at all.
 *
 * @param advised where nobody set DEPOSIT_URL
 */
export function notThatDaemon(origin: string, home: string, advised?: Advice): Failure {
  return new Failure(
    {
      tried: `talk to the daemon of ${home} at ${origin}`,
      said: 'it does not run there; another program may answer there, and no token was sent',
      next: advised ?? advice.leaveUrl(join(home, 'daemon.json')),
    },
    { exitCode: exitCodes.unreachable },
  )
}

/** True for a process of this user's: another user's is not our daemon. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function provesItself(
  { url, pid, version }: RunningDaemon,
  home: string,
  http: HttpSender,
): Promise<boolean> {
  const key = await readPrivateFile(join(home, 'owner.key'))
  if (key === undefined) return false
  const server = new URL(url)
  const challenge = randomBytes(32).toString('base64url')
  const request = { method: 'GET', path: `${daemonProofPath}?challenge=${challenge}` }
  try {
    const { proof } = await new Connection(server, http, withoutToken).json(
      'find the daemon',
      isProof,
      request,
    )
    return isDaemonProof(key.trim(), { challenge, host: server.host, pid, version }, proof)
  } catch {
    http.signal.throwIfAborted()
    return false
  }
}

function isProof(body: unknown): body is { readonly proof: string } {
  return (
    typeof body === 'object' && body !== null && 'proof' in body && typeof body.proof === 'string'
  )
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
