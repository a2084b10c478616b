import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { daemonProofPath, isDaemonProof, proveOwner } from '../../../core/contract/owner-proof.ts'
import type { Home } from '../../home/home.ts'
import { FailureInDaemon } from './operator-failure.ts'
import type { Options, Outcome } from './operator-command.ts'

/** For a daemon to prove itself, also on a machine that is busy. */
const proofMs = 30_000

/**
 * Asks the daemon that runs on this home to carry out a command, so that one process alone touches
 * the home; undefined where none runs.
 *
 * @throws {FailureInDaemon} with what the daemon said
 */
export async function askDaemon(
  home: Home,
  command: string,
  options: Options,
): Promise<Outcome | undefined> {
  const response = await callDaemon(home, '/local/operator', { command, options })
  return (await response?.json()) as Outcome | undefined
}

/**
 * Sends a request to the daemon that runs on this home; undefined where none runs.
 *
 * @throws {FailureInDaemon} with what the daemon said
 */
export async function callDaemon(
  home: Home,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response | undefined> {
  const found = await findDaemon(home)
  if (found === undefined) return undefined
  const { url, key } = found
  const proof = proveOwner(key, { method: 'POST', path, host: new URL(url).host })
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: proof, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    ...(signal && { signal }),
  })
  if (response.ok) return response
  throw new FailureInDaemon(((await response.json()) as { readonly message: string }).message)
}

interface Announced {
  readonly url: string
  readonly pid: number
  readonly version: string
}

/**
 * The daemon that runs here, once it has proved that it knows the owner's key: what a dead one left
 * behind, and what listens in its place, do not count.
 */
async function findDaemon(
  home: Home,
): Promise<{ readonly url: string; readonly key: string } | undefined> {
  try {
    const key = (await readFile(home.ownerKey, 'utf8')).trim()
    const said = JSON.parse(await readFile(home.announcement, 'utf8')) as Announced
    const challenge = randomBytes(32).toString('base64url')
    const asked = `${said.url}${daemonProofPath}?challenge=${challenge}`
    const answer = await fetch(asked, { redirect: 'error', signal: AbortSignal.timeout(proofMs) })
    const { proof } = (await answer.json()) as { readonly proof: string }
    const claim = { ...said, challenge, host: new URL(said.url).host }
    return isDaemonProof(key, claim, proof) ? { url: said.url, key } : undefined
  } catch {
    return undefined
  }
}
