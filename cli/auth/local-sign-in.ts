import { join } from 'node:path'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import { Connection } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import { readPrivateFile, type Credential } from './credential-store.ts'

/**
 * Signs in at the daemon of `home` without a question: who can read its key is its owner.
 * Undefined where there is no key.
 *
 * @param server must be the address that the running daemon of `home` gave: the key goes there
 */
export async function signInLocally(
  home: string,
  server: URL,
  http: HttpSender,
): Promise<Credential | undefined> {
  const key = await readPrivateFile(join(home, 'owner.key'))
  if (key === undefined) return undefined
  const asOwner = { current: async () => key.trim(), renew: async () => undefined }
  const answer = await new Connection(server, http, asOwner).json('sign in', isGrant, {
    method: 'POST',
    path: '/local/token',
    json: { scope: `openid ${writeScope} ${actionsScope}` },
  })
  const expires = new Date(Date.now() + answer.expires_in * 1000).toISOString()
  return { token: answer.access_token, expires }
}

interface Grant {
  readonly access_token: string
  /** Seconds. */
  readonly expires_in: number
}

function isGrant(body: unknown): body is Grant {
  if (typeof body !== 'object' || body === null) return false
  if (!('access_token' in body) || typeof body.access_token !== 'string') return false
  return 'expires_in' in body && typeof body.expires_in === 'number'
}
