import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '../../core/index.ts'
import { guessLimit, networkOf } from './guess-limit.ts'
import type { Identified, Identity } from './identity.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Identified | 'anonymous'
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
  { identity, challenge, isPublic }: AuthenticateOptions,
): void {
  const bad = isPublic ? guessLimit(mostBadTokens, 60) : undefined
  app.decorate('challenge', challenge)
  app.decorateRequest('caller', 'anonymous')
  app.decorateRequest('deposit', undefined)
  app.addHook('onRequest', async (request) => {
    const caller = await identify(request, identity)
    if (caller === undefined) {
      await bad?.begin(networkOf(request.ip))
      throw problem('unauthenticated', {
        message: 'The access token is unknown, expired or revoked.',
      })
    }
    request.caller = caller
  })
}

/** Undefined for a bad token. */
async function identify(
  request: FastifyRequest,
  identity: Identity,
): Promise<FastifyRequest['caller'] | undefined> {
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
