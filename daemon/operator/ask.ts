import { readFile } from 'node:fs/promises'
import type { Home } from '../home.ts'
import { OperatorFailure } from './operator-failure.ts'
import type { Options, Outcome } from './commands.ts'

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
  const url = await findDaemon(home)
  if (url === undefined) return undefined
  const key = (await readFile(home.ownerKey, 'utf8')).trim()
  const response = await fetch(`${url}/local/operator`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command, options }),
    redirect: 'error',
  })
  const body: unknown = await response.json()
  if (response.ok) return body as Outcome
  throw new OperatorFailure((body as { readonly message: string }).message)
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
