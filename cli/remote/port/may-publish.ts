import type { Account } from './repository.ts'
import { RemoteFailure } from './remote-failure.ts'
import type { RemoteHttp } from './remote-http.ts'

/**
 * Asks to publish a deposit that no service has: one that looks at the rights of the token first says
 * 401 or 403, and others that there is no such deposit.
 *
 * @param path of the request, with 0 in place of an identifier
 * @throws {RemoteFailure} the token may not publish
 */
export async function requireMayPublish(http: RemoteHttp, path: string): Promise<void> {
  const tried = `use the token for ${http.name}`
  const expected = [400, 401, 403, 404, 405, 409, 410, 415, 422]
  const { status } = await http.ask({ tried, method: 'POST', path, expected })
  if (status !== 401 && status !== 403) return
  const said = 'the token is good for drafts, and may not publish'
  throw new RemoteFailure(tried, http.remote, { status, message: said }, { said })
}

/** The account that a deposit names as its owner by number; undefined where there is none to ask. */
export function accountOf(number: string | undefined): Account {
  const said = number === undefined ? 'the token is good' : `the token is good, of user ${number}`
  return { name: number, said }
}
