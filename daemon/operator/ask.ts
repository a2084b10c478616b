import { readFile } from 'node:fs/promises'
import { proveOwner } from '../../core/contract/owner-proof.ts'
import type { Home } from '../home.ts'
import { OperatorFailure } from './operator-failure.ts'
import type { Options, Outcome } from './operator-command.ts'

/**
 * Asks the daemon that runs on this home to carry out a command, so that one process alone touches
 * the home; undefined where none runs.
 *
 * @throws {OperatorFailure} with what the daemon said
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
 * @throws {OperatorFailure} with what the daemon said
 */
export async function callDaemon(
  home: Home,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response | undefined> {
  const url = await findDaemon(home)
  if (url === undefined) return undefined
  const key = (await readFile(home.ownerKey, 'utf8')).trim()
  const proof = proveOwner(key, { method: 'POST', path, host: new URL(url).host })
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: proof, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    ...(signal && { signal }),
  })
  if (response.ok) return response
  throw new OperatorFailure(((await response.json()) as { readonly message: string }).message)
}

/** The URL of the daemon that runs here; what a dead one left behind does not count. */
async function findDaemon(home: Home): Promise<string | undefined> {
  try {
    const { url } = JSON.parse(await readFile(home.announcement, 'utf8')) as { url: string }
    const health = await fetch(`${url}/health`, { redirect: 'error' })
    await health.body?.cancel()
    return health.headers.has('deposit-api-version') ? url : undefined
  } catch {
    return undefined
  }
}
