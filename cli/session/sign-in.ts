import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { DeviceAuthorizationResponse } from 'openid-client'
import type { MeBody } from '../client/bodies.ts'
import { Connection } from '../client/connection.ts'
import { DepositClient } from '../client/deposit-client.ts'
import type { HttpSender } from '../client/http.ts'
import type { CliConfig } from '../config.ts'
import { findDaemon } from '../local-daemon/find.ts'
import {
  findServer,
  signInWhereOurs,
  type ConnectOptions,
  type Reach,
  type Server,
} from './open-client.ts'
import { CredentialStore, type Credential } from '../auth/credential-store.ts'
import { everyScope, signInByDevice } from '../auth/device-sign-in.ts'
import { findIssuer } from '../auth/issuer.ts'

/** The signed-in user and the server. */
export interface SignedIn {
  readonly me: MeBody
  readonly origin: string
}

interface WantedSignIn extends ConnectOptions {
  /** A token from elsewhere, to be stored. */
  readonly given?: string
  /** Scopes of the service, with spaces between; all of them by default. */
  readonly scope?: string
}

interface SignInOptions extends WantedSignIn {
  /** Shows where to approve the sign-in. */
  readonly showCode: (device: DeviceAuthorizationResponse) => Promise<void>
  /** Shows a spinner while a person approves the sign-in. */
  readonly waitFor: (work: () => Promise<Credential>) => Promise<Credential>
}

/**
 * Signs in and stores the result: with the given token, without asking at the local daemon, or by
 * the device flow. A token that the server refuses is not stored.
 */
export async function signIn(reach: Reach, options: SignInOptions): Promise<SignedIn> {
  const { config } = reach
  const http = await reach.http()
  const found = await findServer(reach, options)
  const { server } = found
  const granted =
    options.given === undefined ? await grant(reach, found, options) : { token: options.given }
  const me = await askWhose(granted.token, server, http)
  const credential: Credential =
    'expires' in granted ? granted : { ...granted, expires: me.expires }
  const store = new CredentialStore(await config.credentialsFile())
  await store.exclusively(http.signal, () => store.save(server.origin, credential))
  return { me, origin: server.origin }
}

/**
 * Checks what {@link signIn} would do, without starting a daemon and without storing anything.
 *
 * @throws {Failure} it would be refused: the token is invalid, or the server has no issuer
 */
export async function rehearseSignIn(reach: Reach, options: WantedSignIn): Promise<string> {
  const http = await reach.http()
  const server =
    reach.config.server() === undefined
      ? await findRunning(reach.config, http)
      : (await findServer(reach, options)).server
  if (server === undefined) return 'start the local daemon and sign in there'
  const { given, insecure = false } = options
  if (given === undefined) {
    await findIssuer({ server, http, insecure })
    return `sign in at ${server.origin}`
  }
  const me = await askWhose(given, server, http)
  return `sign in at ${server.origin} as ${me.email ?? me.user}`
}

async function findRunning(config: CliConfig, http: HttpSender): Promise<URL | undefined> {
  const daemon = await findDaemon(await config.home(), http)
  return daemon && new URL(daemon.url)
}

/** @throws {Failure} the server refuses the token that commands would use in place of a sign-in */
export async function requireUsable(reach: Reach, origin: string, token: string): Promise<void> {
  await askWhose(token, new URL(origin), await reach.http()).catch((cause: unknown) => {
    const { exitCode } = cause instanceof Failure ? cause : { exitCode: exitCodes.failed }
    if (exitCode !== exitCodes.signInFirst) throw cause
    throw new Failure(
      {
        tried: 'use DEPOSIT_TOKEN',
        said: 'it overrides the sign-in, and the server refuses it',
        next: advice.unsetToken(),
      },
      { cause, exitCode },
    )
  })
}

function askWhose(token: string, server: URL, http: HttpSender): Promise<MeBody> {
  const source = { current: async () => token, renew: async () => undefined }
  return new DepositClient(new Connection(server, http, source)).me()
}

async function grant(reach: Reach, found: Server, options: SignInOptions): Promise<Credential> {
  const http = await reach.http()
  const { scope = everyScope, showCode, waitFor, insecure = false } = options
  const local = await signInWhereOurs(found, http, scope)
  if (local !== undefined) return local
  const issuer = await findIssuer({ server: found.server, http, insecure })
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
