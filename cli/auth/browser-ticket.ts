import { join } from 'node:path'
import { proveOwner } from '../../core/contract/owner-proof.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import type { CliConfig } from '../config.ts'
import { findDaemon } from '../local-daemon/find.ts'
import { readPrivateFile } from './credential-store.ts'

const path = '/local/ticket'

/**
 * The address of a page of our own daemon with a one-time ticket behind the `#`, which signs the
 * browser in. Any other address stays as it is, as does one of whoever brings a token along.
 */
export async function withTicket(
  config: CliConfig,
  http: HttpSender,
  url: string,
): Promise<string> {
  const home = await config.home()
  const server = new URL(url)
  const daemon = await findDaemon(home, http)
  const isOurs = daemon !== undefined && new URL(daemon.url).origin === server.origin
  const key = isOurs ? await readPrivateFile(join(home, 'owner.key')) : undefined
  if (key === undefined || config.token !== undefined) return url
  const proof = proveOwner(key.trim(), { method: 'POST', path, host: server.host })
  const { ticket } = await new Connection(server, http, withoutToken).json('sign in', isTicket, {
    method: 'POST',
    path,
    headers: { authorization: proof },
  })
  return `${url}#ticket=${ticket}`
}

function isTicket(body: unknown): body is { readonly ticket: string } {
  const isObject = typeof body === 'object' && body !== null
  return isObject && 'ticket' in body && typeof body.ticket === 'string'
}
