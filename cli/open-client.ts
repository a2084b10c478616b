import { CredentialStore, type Credential } from './auth/credential-store.ts'
import { createTokens } from './auth/tokens.ts'
import { Connection } from './client/connection.ts'
import { DepositClient } from './client/deposit-client.ts'
import type { HttpManners, HttpSender } from './client/http.ts'
import type { CliConfig } from './config.ts'
import { UsageFailure } from './failure.ts'
import { findDaemon, isLoopback } from './local-daemon/find.ts'
import { spinWhile } from './output/spinner.ts'
import type { Streams } from './output/streams.ts'

/** What of a command's context is needed to reach a server. */
export interface Reach {
  readonly config: CliConfig
  readonly streams: Streams
  readonly http: () => Promise<HttpSender>
}

export interface ConnectOptions {
  readonly quiet?: boolean
  /** Allows http to another machine. */
  readonly insecure?: boolean
  /** Changes nothing: ends with `RehearsalEnd` where something would be changed. */
  readonly dryRun?: boolean
  /** Gives up on a server that is silent for so long. Seconds. */
  readonly timeout?: number
}

/** A client of the server that the environment names, or of the local daemon. */
export async function openClient(reach: Reach, options: ConnectOptions): Promise<DepositClient> {
  const { config } = reach
  const http = await reach.http()
  http.manners = mannersOf(reach.streams, options)
  const server = await findServer(reach, options)
  const tokens = createTokens({
    given: config.token,
    origin: server.origin,
    store: new CredentialStore(await config.credentialsFile()),
    signal: http.signal,
    refresh: async (token) => {
      const [{ findIssuer }, { refresh }] = await Promise.all([
        import('./auth/issuer.ts'),
        import('./auth/device-sign-in.ts'),
      ])
      const insecure = options.insecure === true
      return refresh(await findIssuer({ server, http, insecure }), token, http.signal)
    },
    signIn: () => signInWhereOurs(config, server, http),
  })
  const connection = {
    isRehearsal: options.dryRun === true,
    ...(config.server() === undefined && {
      revive: () => findLocalServer(reach, options, server.port),
    }),
  }
  return new DepositClient(new Connection(server, http, tokens, connection))
}

function mannersOf(streams: Streams, { quiet = false, timeout }: ConnectOptions): HttpManners {
  return {
    tell: (line) => {
      if (!quiet) streams.note(line)
    },
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
  }
}

/**
 * The server to talk to; the local daemon is started when it does not run.
 *
 * @throws {UsageFailure} a token would go over the network in the clear
 */
export async function findServer(reach: Reach, options: ConnectOptions): Promise<URL> {
  const server = reach.config.server()
  if (server === undefined) return findLocalServer(reach, options)
  if (server.protocol === 'https:' || isLoopback(server) || options.insecure) return server
  throw new UsageFailure({
    tried: `talk to ${server.origin}`,
    said: 'over plain http, your token and data can be read on the way',
    next: 'use https in DEPOSIT_URL; `--insecure` goes on all the same',
  })
}

async function findLocalServer(
  { config, streams, http }: Reach,
  { quiet = false }: ConnectOptions,
  port?: string,
): Promise<URL> {
  const { ensureDaemon } = await import('./local-daemon/start.ts')
  const waiting = { quiet, text: 'Starting the local daemon' }
  const { daemon, wasStarted, replaced } = await ensureDaemon(config, await http(), {
    spin: (work) => spinWhile(streams, waiting, work),
    ...(port !== undefined && { port }),
  })
  const why = replaced === undefined ? '' : `: version ${daemon.version} in place of ${replaced}`
  if (wasStarted && !quiet) streams.note(`Started the local daemon at ${daemon.url}${why}`)
  return new URL(daemon.url)
}

/** Without a question at the daemon of our own home, wherever `DEPOSIT_URL` points. */
export async function signInWhereOurs(
  config: CliConfig,
  server: URL,
  http: HttpSender,
  scope?: string,
): Promise<Credential | undefined> {
  const home = await config.home()
  const daemon = await findDaemon(home, http)
  if (daemon === undefined || new URL(daemon.url).origin !== server.origin) return undefined
  const { signInLocally } = await import('./auth/local-sign-in.ts')
  return signInLocally({ home, server, http, ...(scope !== undefined && { scope }) })
}
