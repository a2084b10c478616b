import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem, type DepositError } from '../../core/index.ts'
import type { Identified, Identity } from './identity.ts'
import { advice } from '../issuer-advice.ts'
import { isIPv6 } from 'node:net'
import type { Pool } from 'pg'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set where tokens come as clients of another service send them: see {@link foreignToken}. */
    readonly takesForeignTokens?: true
    /** Reads what the request is about while its token is looked up; tells no failure. */
    readonly readAhead?: (request: FastifyRequest) => void
  }
  interface FastifyRequest {
    caller: Identified | 'anonymous'
    /**
     * Looks the caller up again after a wait: the token or the link may have ended. Pages have none.
     *
     * @throws {DepositError} unauthenticated
     */
    callAgain?: (this: FastifyRequest) => Promise<void>
  }
  interface FastifyInstance {
    /** The `WWW-Authenticate` of an answer that asks for a token. */
    challenge: () => string
  }
}

/** Bad tokens that a network may send in a minute before it must wait. */
const mostBadTokens = 20

interface AuthenticateOptions {
  readonly identity: Identity
  readonly challenge: () => string
  /** Whether anybody can reach the service: then bad tokens are counted. */
  readonly isPublic: boolean
  /** The holder of a link to a deposit, whose cookie a request without a token has. */
  readonly findHolder: (request: FastifyRequest) => Promise<Identified | undefined>
  /** Whether the rows that know the tokens give no answer: probes are not kept waiting for them then. */
  readonly isSilent: () => boolean
}

/**
 * Turns the token of each request into a caller. A bad token is refused on every route, also where
 * none is needed. Only bad tokens are counted: a valid one always passes.
 *
 * @see RFC 6750 §2.1; a token in the query string is not looked at
 * @see RFC 6585 §4
 */
export function authenticate(
  app: FastifyInstance,
  { identity, challenge, isPublic, findHolder, isSilent }: AuthenticateOptions,
): void {
  const bad = isPublic ? guessLimit(mostBadTokens, 60) : undefined
  app.decorate('challenge', challenge)
  app.decorateRequest('caller', 'anonymous')
  app.decorateRequest('deposit', undefined)
  const setCaller = async (request: FastifyRequest, isGuess: boolean): Promise<void> => {
    const caller = await identify(request, identity)
    if (caller === undefined) {
      if (isGuess) await bad?.begin(networkOf(request.ip))
      throw problem('unauthenticated', {
        message: 'The access token is unknown, expired or revoked.',
      })
    }
    const isNamed = request.headers.authorization !== undefined
    const holder = caller === 'anonymous' && !isNamed ? await findHolder(request) : undefined
    request.caller = holder ?? caller
  }
  app.decorateRequest('callAgain', function (this: FastifyRequest) {
    return setCaller(this, false)
  })
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.needsNoRows && isSilent()) return
    if (request.headers.authorization !== undefined)
      request.routeOptions.config.readAhead?.(request)
    await setCaller(request, true)
  })
}

/** Undefined for a bad token. */
async function identify(
  request: FastifyRequest,
  identity: Identity,
): Promise<FastifyRequest['caller'] | undefined> {
  if (request.routeOptions.config.takesForeignTokens) {
    const token = foreignToken(request)
    return token === undefined ? 'anonymous' : identity.identify(token, networkOf(request.ip))
  }
  if (/[?&]access_token=/.test(request.url)) {
    throw problem('unauthenticated', {
      message: 'Send the token in the Authorization header, not in the URL.',
    })
  }
  const header = request.headers.authorization
  if (header === undefined) return 'anonymous'
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1]
  return token === undefined ? undefined : identity.identify(token, networkOf(request.ip))
}

/**
 * A token as `Bearer TOKEN`, `Bearer:TOKEN`, or the parameter `access_token`, as clients of Zenodo
 * send it. The header counts where there are both.
 */
function foreignToken({ headers: { authorization }, query }: FastifyRequest): string | undefined {
  if (authorization !== undefined)
    return /^Bearer(?: +|: *)([\w.~+/-]+=*)$/i.exec(authorization)?.[1] ?? ''
  const { access_token: token } = query as Readonly<Record<string, unknown>>
  return token === undefined ? undefined : typeof token === 'string' ? token : ''
}

const window = 10 * 60

interface GuessLimit {
  /**
   * Counts an attempt before it is made, so that many at once are no way around the limit.
   *
   * @throws {DepositError} too_many_requests: there were too many
   */
  readonly begin: (name: string) => Promise<void>
  /** Takes an attempt back: it was no guess. */
  readonly forgive: (name: string) => Promise<void>
}

/**
 * Makes a limit that counts for all daemons on the same rows, where there may be others.
 *
 * @param what tells its counts apart from those of other limits
 * @param seconds length of the window
 */
export type SharedLimit = (what: string, most: number, seconds?: number) => GuessLimit

/** @param pool of the rows that daemons share; where they are away, each daemon counts for itself */
export function sharedLimits(pool: Pool | undefined): SharedLimit {
  return (what, most, duration = window) => {
    if (pool === undefined) return guessLimit(most, duration)
    const bounds = { points: most, duration }
    const limiter = new RateLimiterPostgres({
      ...bounds,
      storeClient: pool,
      tableName: 'guesses',
      tableCreated: true,
      keyPrefix: what,
      insuranceLimiter: new RateLimiterMemory(bounds),
    })
    return limitBy(limiter, bounds)
  }
}

/** @param seconds length of the window */
export function guessLimit(most: number, seconds: number = window): GuessLimit {
  const bounds = { points: most, duration: seconds }
  return limitBy(new RateLimiterMemory(bounds), bounds)
}

interface Bounds {
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

function limitBy(
  limiter: RateLimiterMemory | RateLimiterPostgres,
  { duration }: Bounds,
): GuessLimit {
  return {
    begin: async (name) => {
      try {
        await limiter.consume(name)
      } catch (error) {
        throw error instanceof RateLimiterRes ? refusal(error, duration) : error
      }
    },
    forgive: async (name) => {
      await limiter.reward(name)
    },
  }
}

/**
 * The name under which attempts of an address are counted: an IPv4 address itself; of an IPv6
 * address the first 64 bits, since one subscriber has all addresses of such a network. A client
 * that is gone already has no address.
 *
 * @see RFC 6177
 */
export function networkOf(address: string | undefined): string {
  const [plain = ''] = address?.split('%', 1) ?? []
  // Each request asks, and most addresses are of IPv4.
  if (!plain.includes(':')) return plain
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined || !isIPv6(plain)) return mapped ?? plain
  const [head = '', tail] = plain.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end stands for two groups.
  const groups = front.length + back.length + (plain.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : Array<string>(8 - groups).fill('0')
  const first = [...front, ...zeros, ...back].slice(0, 4)
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** If the clock was changed, the limiter's time may be days away, or already over. */
function refusal(
  { msBeforeNext }: RateLimiterRes,
  duration: number,
): DepositError<'too_many_requests'> {
  const retryAfter = Math.min(duration, Math.max(1, Math.ceil(msBeforeNext / 1000)))
  const message = advice.tryLater(Math.ceil(retryAfter / 60))
  return problem('too_many_requests', { retryAfter, message })
}

/** Runs `guess` within all of the limits; one that succeeds is counted by none of them. */
export async function withinLimits<Found>(
  limits: readonly (readonly [GuessLimit, string])[],
  guess: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (const [limit, name] of limits) await limit.begin(name)
  const found = await guess()
  if (found !== undefined) for (const [limit, name] of limits) await limit.forgive(name)
  return found
}

/** Changes a user may make in a minute, and those who hold links of theirs, together. */
const mostChanges = 600

/**
 * Bounds how often a user changes things: for services that anybody can reach. On a person's own
 * machine there is no limit.
 *
 * @see RFC 6585 §4
 */
export function limitChanges(app: FastifyInstance): void {
  const changes = guessLimit(mostChanges, 60)
  app.addHook('onRequest', async ({ caller, method }) => {
    if (caller === 'anonymous' || method === 'GET' || method === 'HEAD') return
    await changes.begin(makerOf(caller))
  })
}

/**
 * Under which name the changes of a caller are counted. Links are made at will, so all that one user
 * has made count as one, whatever deposit they are of: apart from the user, whom no holder stops.
 */
function makerOf({ user, onlyDeposit, link }: Identified): string {
  return link ? `links of ${link.madeBy ?? onlyDeposit}` : user
}
