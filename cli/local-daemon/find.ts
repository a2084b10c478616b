import { advice, type Advice } from '../advice.ts'
import { fileIdentity } from '../../core/base/file-identity.ts'
import { isAlive } from '../../core/base/file-lock.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  parseAnnouncement,
  provesItself,
  type AnnouncedDaemon,
} from '../../core/contract/owner-proof.ts'
import { readPrivateFile } from '../private-file.ts'
import { isLoopback } from '../../core/base/loopback.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

/**
 * The daemon of `home`, if it runs: its process is alive and ours, and at its address it proves that
 * it knows the owner's key and has this home. This rules out a file left by a crash or copied with its
 * home, and another program on its port.
 */
export async function findDaemon(
  home: string,
  http: HttpSender,
): Promise<AnnouncedDaemon | undefined> {
  const daemon = await readDaemonFile(home)
  if (daemon === undefined || !isAlive(daemon.pid)) return undefined
  return (await knowsOwnerKey(daemon, home, http)) ? daemon : undefined
}

/** The content of `daemon.json`, which may be out of date. */
export async function readDaemonFile(home: string): Promise<AnnouncedDaemon | undefined> {
  const text = await readFile(join(home, 'daemon.json'), 'utf8').catch(() => undefined)
  const daemon = text === undefined ? undefined : parseAnnouncement(text)
  return daemon && isLoopback(new URL(daemon.url)) ? daemon : undefined
}

/** True where the daemon of `home` proves itself at the origin of `server`. */
export async function isDaemonAt(server: URL, home: string, http: HttpSender): Promise<boolean> {
  const daemon = await findDaemon(home, http)
  return daemon !== undefined && new URL(daemon.url).origin === server.origin
}

/**
 * Another program, or none, answers at `origin` instead of the daemon of `home`.
 *
 * @param advised where DEPOSIT_URL is not set
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

async function knowsOwnerKey(
  daemon: AnnouncedDaemon,
  home: string,
  http: HttpSender,
): Promise<boolean> {
  const key = await readPrivateFile(join(home, 'owner.key'))
  if (key === undefined) return false
  const connection = new Connection(new URL(daemon.url), http, withoutToken)
  const lock = await fileIdentity(join(home, 'daemon.lock'))
  try {
    return await provesItself(key.trim(), lock, daemon, async (path) => {
      const request = { method: 'GET', path }
      return (await connection.json('find the daemon', isProof, request)).proof
    })
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
