import { readFile } from 'node:fs/promises'
import { fileIdentity } from '../../../core/base/file-identity.ts'
import { parseAnnouncement, proveOwner, provesItself } from '../../../core/contract/owner-proof.ts'
import type { Home } from '../../home/home.ts'
import type { ExitReason } from '../../start-failure.ts'
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
  const { code, message } = (await response.json()) as Readonly<Record<'code' | 'message', string>>
  throw new FailureInDaemon(message, reasons.get(code))
}

/** Why the daemon could not carry a command out, by the code of its answer. */
const reasons: ReadonlyMap<string, ExitReason> = new Map([
  ['storage_unavailable', 'unavailable'],
  ['shutting_down', 'unavailable'],
  ['storage_failed', 'io'],
  ['storage_degraded', 'io'],
  ['storage_full', 'io'],
])

/**
 * The daemon that runs on this home and has proved so with the owner's key. This rules out a file left
 * by a crash or copied with its home, and another program on its port.
 */
async function findDaemon(
  home: Home,
): Promise<{ readonly url: string; readonly key: string } | undefined> {
  try {
    const key = (await readFile(home.ownerKey, 'utf8')).trim()
    const said = parseAnnouncement(await readFile(home.announcement, 'utf8'))
    if (said === undefined) return undefined
    const isOurs = await provesItself(key, await fileIdentity(home.lock), said, async (path) => {
      const signal = AbortSignal.timeout(proofMs)
      const answer = await fetch(said.url + path, { redirect: 'error', signal })
      return ((await answer.json()) as { readonly proof: string }).proof
    })
    return isOurs ? { url: said.url, key } : undefined
  } catch {
    return undefined
  }
}
