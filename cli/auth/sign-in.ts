import type { DeviceAuthorizationResponse } from 'openid-client'
import type { MeBody } from '../client/bodies.ts'
import { Connection } from '../client/connection.ts'
import { DepositClient } from '../client/deposit-client.ts'
import { findServer, signInWhereOurs, type ConnectOptions, type Reach } from '../open-client.ts'
import { CredentialStore, type Credential } from './credential-store.ts'
import { everyScope, signInByDevice } from './device-sign-in.ts'
import { findIssuer } from './issuer.ts'

/** Who is signed in now, and where. */
export interface SignedIn {
  readonly me: MeBody
  readonly origin: string
}

interface SignInOptions extends ConnectOptions {
  /** A token that was made elsewhere. */
  readonly given?: string
  /** Scopes of the service, with spaces between; all of them by default. */
  readonly scope?: string
  /** Tells a person where to approve the sign-in. */
  readonly showCode: (device: DeviceAuthorizationResponse) => Promise<void>
  /** Shows that somebody is waited for. */
  readonly waitFor: (work: () => Promise<Credential>) => Promise<Credential>
}

/**
 * Signs in anew and stores it: with the token given, without a question at the local daemon, or by
 * the device flow. A token that the server refuses is not stored.
 */
export async function signIn(reach: Reach, options: SignInOptions): Promise<SignedIn> {
  const { config } = reach
  const http = await reach.http()
  const server = await findServer(reach, options)
  const granted =
    options.given === undefined ? await grant(reach, server, options) : { token: options.given }
  const source = { current: async () => granted.token, renew: async () => undefined }
  const me = await new DepositClient(new Connection(server, http, source)).me()
  const credential: Credential =
    'expires' in granted ? granted : { ...granted, expires: me.expires }
  const store = new CredentialStore(await config.credentialsFile())
  await store.exclusively(http.signal, () => store.save(server.origin, credential))
  return { me, origin: server.origin }
}

async function grant(reach: Reach, server: URL, options: SignInOptions): Promise<Credential> {
  const http = await reach.http()
  const { scope = everyScope, showCode, waitFor, insecure = false } = options
  const local = await signInWhereOurs(reach.config, server, http, scope)
  if (local !== undefined) return local
  const issuer = await findIssuer({ server, http, insecure })
  return signInByDevice({
    issuer,
    scope,
    signal: http.signal,
    waitFor,
    approve: async (device) => {
      await showCode(device)
      return false
    },
  })
}
