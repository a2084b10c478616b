import type { MeBody } from '../client/bodies.ts'
import { Connection } from '../client/connection.ts'
import { DepositClient } from '../client/deposit-client.ts'
import type { CliContext, ConnectOptions } from '../context.ts'
import { findServer, signInWhereOurs } from '../open-client.ts'
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
  context: CliContext,
  { quiet = false, insecure = false }: ConnectOptions,
  given: string | undefined,
): Promise<SignedIn | undefined> {
  const { config, streams } = context
  const http = await context.http()
  const server = await findServer({
    config,
    http,
    isInsecureAllowed: insecure,
    onStart: (url) => quiet || streams.note(`Started the local daemon at ${url}`),
  })
  const granted = given === undefined ? await signInWhereOurs(config, server, http) : undefined
  const token = given ?? granted?.token
  if (token === undefined) return undefined
  const source = { current: async () => token, renew: async () => undefined }
  const me = await new DepositClient(new Connection(server, http, source)).me()
  const credential: Credential = granted ?? { token, expires: me.expires }
  await new CredentialStore(await config.credentialsFile()).save(server.origin, credential)
  return { me, origin: server.origin }
}
