import { join } from 'node:path'
import { approvalPath, proveOwner } from '../../core/contract/owner-proof.ts'
import { Connection, withoutToken } from '../client/connection.ts'
import type { HttpSender } from '../client/http.ts'
import { isSameService } from '../../core/base/loopback.ts'
import type { Credential } from './credential-store.ts'
import { readPrivateFile } from '../private-file.ts'
import { everyScope, signInByDevice } from './device-sign-in.ts'
import { findIssuer } from './issuer.ts'

interface LocalSignIn {
  readonly home: string
  /** The address that the running daemon of `home` gave. */
  readonly server: URL
  readonly http: HttpSender
  /** Scopes of the service, with spaces between; all of them by default. */
  readonly scope?: string
}

/**
 * Signs in at the daemon of `home` without asking: its key identifies the owner. Undefined
 * without a key, or when an external issuer signs people in.
 */
export async function signInLocally(options: LocalSignIn): Promise<Credential | undefined> {
  const { home, server, http, scope = everyScope } = options
  const key = (await readPrivateFile(join(home, 'owner.key')))?.trim()
  if (key === undefined) return undefined
  const issuer = await findIssuer({ server, http, insecure: false, ownerKey: key })
  if (!isSameService(new URL(issuer.origin), server)) return undefined
  const credential = await signInByDevice({
    issuer,
    scope,
    signal: http.signal,
    approve: async ({ user_code: code }) => {
      await approve(key, server, http, code)
      return true
    },
  })
  return { ...credential, home }
}

async function approve(key: string, server: URL, http: HttpSender, code: string): Promise<void> {
  const proof = proveOwner(key, { method: 'POST', path: approvalPath, host: server.host })
  await new Connection(server, http, withoutToken).text('sign in', {
    method: 'POST',
    path: approvalPath,
    headers: { authorization: proof },
    json: { user_code: code },
  })
}
