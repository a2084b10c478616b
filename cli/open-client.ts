import { CredentialStore, type Credential } from './auth/credential-store.ts'
import { signInLocally } from './auth/local-sign-in.ts'
import { createTokens } from './auth/tokens.ts'
import { Connection } from './client/connection.ts'
import { DepositClient } from './client/deposit-client.ts'
import type { HttpSender } from './client/http.ts'
import type { CliConfig } from './config.ts'
import { UsageFailure } from './failure.ts'
import { findDaemon, isLoopback } from './local-daemon/find.ts'

export interface OpenClientOptions {
  readonly config: CliConfig
  readonly http: HttpSender
  /** Allows http to another machine. */
  readonly isInsecureAllowed: boolean
  /** Hears the address of a daemon that had to be started. */
  readonly onStart: (url: string) => void
}

/** A client of the server that the environment names, or of the local daemon. */
export async function openClient(options: OpenClientOptions): Promise<DepositClient> {
  const { config, http } = options
  const server = await findServer(options)
  const tokens = createTokens({
    given: config.token,
    origin: server.origin,
    store: new CredentialStore(await config.credentialsFile()),
    signIn: () => signInWhereOurs(config, server, http),
  })
  return new DepositClient(new Connection(server, http, tokens))
}

/**
 * The server to talk to; the local daemon is started when it does not run.
 *
 * @throws {UsageFailure} a token would go over the network in the clear
 */
export async function findServer(options: OpenClientOptions): Promise<URL> {
  const { config, http, isInsecureAllowed, onStart } = options
  const server = config.server()
  if (server === undefined) {
    const { ensureDaemon } = await import('./local-daemon/start.ts')
    const { daemon, wasStarted } = await ensureDaemon(config, http)
    if (wasStarted) onStart(daemon.url)
    return new URL(daemon.url)
  }
  if (server.protocol === 'https:' || isLoopback(server) || isInsecureAllowed) return server
  throw new UsageFailure({
    tried: `talk to ${server.origin}`,
    said: 'over plain http, your token and data can be read on the way',
    next: 'use https in DEPOSIT_URL; `--insecure` goes on all the same',
  })
}

/** Only the daemon of our own home may see its key, wherever `DEPOSIT_URL` points. */
export async function signInWhereOurs(
  config: CliConfig,
  server: URL,
  http: HttpSender,
): Promise<Credential | undefined> {
  const home = await config.home()
  const daemon = await findDaemon(home, http)
  const isOurs = daemon !== undefined && new URL(daemon.url).origin === server.origin
  return isOurs ? signInLocally(home, server, http) : undefined
}
