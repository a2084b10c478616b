import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Unauthenticated } from '../../core/index.ts'
import type { Identified, Identity } from '../identity/identity.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Identified | 'anonymous'
  }
  interface FastifyInstance {
    /** The `WWW-Authenticate` of an answer that asks for a token. */
    challenge: () => string
  }
}

/**
 * Turns the token of each request into a caller. A token that is no good is refused on every route,
 * also where none is needed: its sender believes to be somebody.
 *
 * @see RFC 6750 §2.1; a token in the query string is not looked at
 */
export function authenticate(
  app: FastifyInstance,
  identity: Identity,
  challenge: () => string,
): void {
  app.decorate('challenge', challenge)
  app.decorateRequest('caller', 'anonymous')
  app.decorateRequest('deposit', undefined)
  app.addHook('onRequest', async (request) => {
    request.caller = await identify(request, identity)
  })
}

async function identify(
  request: FastifyRequest,
  identity: Identity,
): Promise<FastifyRequest['caller']> {
  if (/[?&]access_token=/.test(request.url)) {
    throw new Unauthenticated('Send the token in the Authorization header, not in the URL.')
  }
  const header = request.headers.authorization
  if (header === undefined) return 'anonymous'
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1]
  const identified = token && (await identity.identify(token))
  if (!identified) throw new Unauthenticated('The access token is unknown, expired or revoked.')
  return identified
}
