import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Redirect } from './http.ts'

/**
 * Refuses a redirect of the whole service: the token does not go to another origin, and without it
 * the answer there would be that of a stranger. Redirects to another path are of one request: to a
 * store of files, or to another identifier under the public name of the service.
 *
 * @throws {Failure} it names the new address
 */
export function requireUnmoved(tried: string, server: URL, { from, to }: Redirect): void {
  if (from.origin !== server.origin || to.origin === server.origin) return
  if (pathOf(to) !== pathOf(from) && pathOf(to) !== '/') return
  throw new Failure(
    {
      tried,
      said: `${server.origin} has moved to ${to.origin}: it redirects there`,
      next: advice.followTo(to.origin),
    },
    { exitCode: exitCodes.unreachable },
  )
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search
}
