import { join } from 'node:path'
import { proveOwner, ticketPath } from '../../core/contract/owner-proof.ts'
import { ApiFailure } from '../client/api-failure.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import type { CliConfig } from '../config.ts'
import { isDaemonAt } from '../local-daemon/find.ts'
import { readPrivateFile } from '../private-file.ts'

/**
 * The address of a page of our own daemon, with a one-time ticket behind the `#` that signs the
 * browser in. The address stays as it is for any other server, with a token from the environment,
 * and when another user than the owner of the machine is signed in.
 *
 * @param owners of what the page shows
 */
export async function withTicket(
  config: CliConfig,
  http: HttpSender,
  url: string,
  owners: readonly string[],
): Promise<string> {
  const home = await config.home()
  const server = new URL(url)
  const isOurs = await isDaemonAt(server, home, http)
  const key = isOurs ? await readPrivateFile(join(home, 'owner.key')) : undefined
  if (key === undefined || config.token !== undefined) return url
  const given = await askForTicket(key.trim(), server, http)
  return given && owners.includes(given.user) ? `${url}#ticket=${given.ticket}` : url
}

interface TicketBody {
  readonly ticket: string
  /** The user that the ticket signs in. */
  readonly user: string
}

/** Undefined with an external issuer, which does not know the owner of this machine. */
async function askForTicket(
  key: string,
  server: URL,
  http: HttpSender,
): Promise<TicketBody | undefined> {
  const authorization = proveOwner(key, { method: 'POST', path: ticketPath, host: server.host })
  const request = { method: 'POST', path: ticketPath, headers: { authorization } }
  try {
    return await new Connection(server, http, withoutToken).json('sign in', isTicket, request)
  } catch (error) {
    if (error instanceof ApiFailure && error.problem.status === 404) return undefined
    throw error
  }
}

function isTicket(body: unknown): body is TicketBody {
  if (typeof body !== 'object' || body === null) return false
  if (!('ticket' in body) || typeof body.ticket !== 'string') return false
  return 'user' in body && typeof body.user === 'string'
}
