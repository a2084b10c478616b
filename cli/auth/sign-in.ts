import type { MeBody } from '../client/bodies.ts'
import { Connection } from '../client/connection.ts'
import { DepositClient } from '../client/deposit-client.ts'
import { findServer, signInWhereOurs, type ConnectOptions, type Reach } from '../open-client.ts'
import { CredentialStore, type Credential } from './credential-store.ts'

/** Who is signed in now, and where. */
export interface SignedIn {
  readonly me: MeBody
  readonly origin: string
}

/**
 * Signs in anew and stores it: with the token given, or without a question at the local daemon.
 * Undefined where neither is possible. A token that the server refuses is not stored.
 */
export async function signIn(
  reach: Reach,
  options: ConnectOptions,
  given: string | undefined,
): Promise<SignedIn | undefined> {
  const { config } = reach
  const http = await reach.http()
  const server = await findServer(reach, options)
  const granted = given === undefined ? await signInWhereOurs(config, server, http) : undefined
  const token = given ?? granted?.token
  if (token === undefined) return undefined
  const source = { current: async () => token, renew: async () => undefined }
  const me = await new DepositClient(new Connection(server, http, source)).me()
  const credential: Credential = granted ?? { token, expires: me.expires }
  await new CredentialStore(await config.credentialsFile()).save(server.origin, credential)
  return { me, origin: server.origin }
}
