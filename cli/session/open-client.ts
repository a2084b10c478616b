import { advice } from '../advice.ts'
import { CredentialStore, type Credential } from '../auth/credential-store.ts'
import { createTokens } from '../auth/tokens.ts'
import { apiPrefix } from '../../core/contract/routes.ts'
import type { IndexBody } from '../../core/contract/schemas.ts'
import { isLoopback, isSameService } from '../../core/base/loopback.ts'
import { isIndex } from '../client/bodies.ts'
import { Connection, withoutToken, type TokenSource } from '../client/connection.ts'
import { DepositClient } from '../client/deposit-client.ts'
import type { HttpManners, HttpSender } from '../client/http.ts'
import { defaultRoutes, toRoutes, type MountedRoutes } from '../client/mounted-routes.ts'
import type { CliConfig } from '../config.ts'
import { UsageFailure } from '../failure.ts'
import { findDaemon, isDaemonAt, notThatDaemon, readDaemonFile } from '../local-daemon/find.ts'
import { spinWhile } from '../output/progress.ts'
import type { Streams } from '../output/streams.ts'

/** The part of a command's context that a connection needs. */
export interface Reach {
  readonly config: CliConfig
  readonly streams: Streams
  readonly http: () => Promise<HttpSender>
}

export interface ConnectOptions {
  readonly quiet?: boolean
  /** Endpoint with the deposits; overrides the environment. */
  readonly endpoint?: string
  /** Allows http to another machine. */
  readonly insecure?: boolean
  /** Dry run: throws `RehearsalEnd` before the first change. */
  readonly dryRun?: boolean
  /** Idle timeout. Seconds. */
  readonly timeout?: number
  /** Further attempts after a temporary failure. */
  readonly retries?: number
}

/** A client of the server in the environment, or of the local daemon. */
export async function openClient(reach: Reach, options: ConnectOptions): Promise<DepositClient> {
  const { config } = reach
  const http = await reach.http()
  http.manners = mannersOf(reach.streams, options)
  const { server, home } = await findServer(reach, options)
  const tokens = createTokens({
    given: config.token,
    origin: server.origin,
    isOurs: home !== undefined,
    isDaemonOf: async (other) => other === home || isDaemonAt(server, other, http),
    store: new CredentialStore(await config.credentialsFile()),
    signal: http.signal,
    refresh: async (token, issuer) => {
      const [{ findIssuer }, { refresh }] = await Promise.all([
        import('../auth/issuer.ts'),
        import('../auth/device-sign-in.ts'),
      ])
      const insecure = options.insecure === true
      const found = await findIssuer({ server, http, insecure, only: issuer })
      return refresh(found, token, http.signal)
    },
    signIn: () => signInWhereOurs({ server, home }, http),
  })
  const endpoint = options.endpoint ?? config.endpoint
  const routes = endpoint === undefined ? defaultRoutes : await findRoutes(endpoint, server, http)
  const connection = {
    routes,
    findElsewhere: (id: string) => findElsewhere(id, routes, { server, http, tokens }),
    isRehearsal: options.dryRun === true,
    ...(config.server() === undefined && {
      revive: () => reviveLocalServer(reach, options, server),
    }),
  }
  return new DepositClient(new Connection(server, http, tokens, connection))
}

/**
 * Asks the server for the routes of an endpoint.
 *
 * @throws {UsageFailure} it has no such endpoint
 */
async function findRoutes(name: string, server: URL, http: HttpSender): Promise<MountedRoutes> {
  const tried = `find the endpoint ${name}`
  const endpoints = await listEndpoints(tried, server, http)
  const links = Object.hasOwn(endpoints, name) ? endpoints[name]?.links : undefined
  if (links === undefined) {
    throw new UsageFailure({
      tried,
      said: `${server.host} has no endpoint of that name`,
      next: advice.nameEndpoint(Object.keys(endpoints)),
    })
  }
  return toRoutes(links)
}

type Endpoints = IndexBody['endpoints']

async function listEndpoints(tried: string, server: URL, http: HttpSender): Promise<Endpoints> {
  const connection = new Connection(server, http, withoutToken)
  const { endpoints } = await connection.json(tried, isIndex, { method: 'GET', path: apiPrefix })
  return endpoints
}

/**
 * The name of another endpoint that has the deposit.
 *
 * @param asked where it was looked for
 */
async function findElsewhere(
  id: string,
  asked: MountedRoutes,
  { server, http, tokens }: { server: URL; http: HttpSender; tokens: TokenSource },
): Promise<string | undefined> {
  // Only for the advice of an error: a server without a list of endpoints has nothing to add.
  const endpoints = await listEndpoints('list the endpoints', server, http).catch(() => ({}))
  for (const [name, { links }] of Object.entries<Endpoints[string]>(endpoints)) {
    const routes = toRoutes(links)
    if (routes.item === asked.item) continue
    const client = new DepositClient(new Connection(server, http, tokens, { routes }))
    if (await client.has(id)) return name
  }
  return undefined
}

/** Timeouts and messages from the options of a command. */
export function mannersOf(
  streams: Streams,
  { quiet = false, timeout, retries }: ConnectOptions,
): HttpManners {
  return {
    tell: (line) => {
      if (!quiet) streams.note(line)
    },
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    ...(retries !== undefined && { retries }),
  }
}

/** The server that requests go to. */
export interface Server {
  readonly server: URL
  /** The home of the daemon there, which has proved itself. */
  readonly home: string | undefined
}

/**
 * The server to use; the local daemon is started if it does not run.
 *
 * @throws {UsageFailure} a token would go over the network in the clear
 * @throws {Failure} `DEPOSIT_URL` names our own daemon, and something else may be in its place
 */
export async function findServer(reach: Reach, options: ConnectOptions): Promise<Server> {
  const server = reach.config.server()
  if (server === undefined) return findLocalServer(reach, options)
  if (isLoopback(server)) return findLoopbackServer(reach, server)
  if (server.protocol === 'https:' || options.insecure) return { server, home: undefined }
  throw new UsageFailure({
    tried: `talk to ${server.origin}`,
    said: 'over plain http, your token and data can be read on the way',
    next: advice.useHttps(),
  })
}

/**
 * Our own daemon under any name of this machine: requests go to the address where it proves itself.
 */
async function findLoopbackServer({ config, http }: Reach, server: URL): Promise<Server> {
  const home = await config.home()
  const said = await readDaemonFile(home)
  if (!isSameService(URL.parse(said?.url ?? ''), server)) {
    // Neither a stored nor a given token goes there while the stored sign-in belongs to a daemon's
    // home.
    const store = new CredentialStore(await config.credentialsFile())
    for (const name of namesOf(server)) {
      const stored = await store.find(name.origin)
      if (stored?.home === undefined) continue
      if (await isDaemonAt(name, stored.home, await http()))
        return { server: name, home: undefined }
      throw notThatDaemon(server.origin, stored.home)
    }
    return { server, home: undefined }
  }
  const daemon = await findDaemon(home, await http())
  if (daemon === undefined) throw notThatDaemon(server.origin, home)
  return { server: new URL(daemon.url), home }
}

/** The origins of the same port on this machine, the given one first. */
function namesOf(server: URL): readonly URL[] {
  const hosts = [server.hostname, '127.0.0.1', 'localhost', '[::1]']
  return [...new Set(hosts)].map((host) => {
    const name = new URL(server)
    name.hostname = host
    return name
  })
}

async function findLocalServer(
  { config, streams, http }: Reach,
  { quiet = false }: ConnectOptions,
  port?: string,
): Promise<Server> {
  const { ensureDaemon } = await import('../local-daemon/start.ts')
  const waiting = { quiet, text: 'Starting the local daemon' }
  const { daemon, wasStarted, replaced } = await ensureDaemon(config, await http(), {
    spin: (work) => spinWhile(streams, waiting, work),
    ...(port !== undefined && { port }),
  })
  const why = replaced === undefined ? '' : `: version ${daemon.version} in place of ${replaced}`
  if (wasStarted && !quiet) streams.note(`Started the local daemon at ${daemon.url}${why}`)
  return { server: new URL(daemon.url), home: await config.home() }
}

/**
 * Restarts our daemon at the same address; another program there must not get the requests and
 * their token.
 */
async function reviveLocalServer(
  reach: Reach,
  options: ConnectOptions,
  { port, origin }: URL,
): Promise<void> {
  const { server, home = '' } = await findLocalServer(reach, options, port)
  if (server.origin !== origin) throw notThatDaemon(origin, home, advice.runAgain())
}

/** Signs in without asking if the server is the daemon of our own home. */
export async function signInWhereOurs(
  { server, home }: Server,
  http: HttpSender,
  scope?: string,
): Promise<Credential | undefined> {
  if (home === undefined) return undefined
  const { signInLocally } = await import('../auth/local-sign-in.ts')
  return signInLocally({ home, server, http, ...(scope !== undefined && { scope }) })
}
