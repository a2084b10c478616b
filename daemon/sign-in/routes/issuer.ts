import { isProblem, problem } from '../../../core/index.ts'
import type { Database, DepositError } from '../../../core/index.ts'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { isOwnerProof, ownerProofHeader } from '../../../core/contract/owner-proof.ts'
import { guessLimit, networkOf } from '../../http/authenticate.ts'
import type { EmbeddedIssuer } from '../embedded-issuer.ts'
import { pagesClientId } from '../issuer/first-party-clients.ts'
import { withoutEmptySecret } from '../issuer/empty-secret.ts'
import { resource } from '../../http/route.ts'
import { claimsOf, oidcScopes, resourceAt, userinfoPath } from '../issuer/scopes.ts'
import { scopes } from '../../../core/contract/scopes.ts'

export interface IssuerRoutesOptions {
  readonly issuer: EmbeddedIssuer
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
  /** Whether anybody can reach the service: then sign-ins that begin are counted. */
  readonly isPublic: boolean
  /** The key of the owner of the machine, whose own sign-ins are not counted. */
  readonly key: string
}

/** Device sign-ins that a network may begin in a minute: a class of students does not reach it. */
const mostStarts = 120

const deviceRoute = '/oauth/device'
const authRoute = '/oauth/auth'

/** The paths that the issuer answers itself. All else below `/oauth` is ours, or not there. */
const issuerRoutes = [
  { method: 'GET', url: '/.well-known/oauth-authorization-server' },
  { method: 'GET', url: '/.well-known/openid-configuration' },
  { method: 'GET', url: '/oauth/jwks' },
  { method: 'GET', url: authRoute },
  { method: 'GET', url: '/oauth/auth/:uid' },
  { method: 'POST', url: authRoute },
  { method: 'POST', url: deviceRoute },
  { method: 'POST', url: '/oauth/introspection' },
  { method: 'POST', url: '/oauth/revocation' },
  { method: 'POST', url: '/oauth/token' },
] as const

/** The routes of the embedded issuer, at the root of the origin: that is the issuer's name. */
export function issuerEndpoints(options: IssuerRoutesOptions): FastifyPluginAsync {
  const { issuer, origin, isPublic, key } = options
  const starts = isPublic ? guessLimit(mostStarts, 60) : undefined
  return async (app) => {
    app.removeAllContentTypeParsers()
    // The issuer reads its forms itself.
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      // The router decodes a path, the issuer does not: it would not know its own route again.
      if (request.url.split('?')[0]?.includes('%')) throw problem('not_found')
      if (request.routeOptions.url === authRoute) requireOwnBeginning(request)
      const isByOwner = isOwner(request, key)
      if (request.routeOptions.url === deviceRoute && !isByOwner) {
        try {
          await starts?.begin(networkOf(request.ip))
        } catch (error) {
          if (isProblem(error, 'too_many_requests')) return refuseStart(reply, error)
          throw error
        }
      }
      handOver(request, reply, new URL(origin()))
      if (!isByOwner) delete request.raw.headers[ownerProofHeader]
      await issuer.answer(await withoutEmptySecret(request.raw), reply.raw)
      return undefined
    }
    for (const { method, url } of issuerRoutes) {
      app.route({ method, url, handler, exposeHeadRoute: false })
    }
  }
}

/**
 * Programs of others begin sign-ins by a link to us; that of our pages begins on our pages alone.
 *
 * @throws {DepositError} cross_origin
 */
function requireOwnBeginning({ headers, query }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  const isForeign = site === 'cross-site' || site === 'same-site'
  const { client_id: client } = query as { readonly client_id?: unknown }
  if (isForeign && (client === undefined || client === pagesClientId)) throw problem('cross_origin')
}

function isOwner({ method, url: path, headers }: FastifyRequest, key: string): boolean {
  const { host = '', [ownerProofHeader]: proof } = headers
  return typeof proof === 'string' && isOwnerProof(key, { method, path, host }, proof)
}

/** @see RFC 6749 §5.2 */
function refuseStart(
  reply: FastifyReply,
  { details }: DepositError<'too_many_requests'>,
): FastifyReply {
  const { retryAfter } = details
  return reply
    .code(429)
    .headers({ 'retry-after': retryAfter, 'cache-control': 'no-store' })
    .send({
      error: 'temporarily_unavailable',
      error_description: `Too many sign-ins were started from your network; try again in ${retryAfter} s.`,
    })
}

/**
 * Gives request and answer out of our hands. The issuer makes its URLs from what a request says of
 * the host it is for: so the host is set from our own origin.
 */
function handOver({ raw, ip }: FastifyRequest, reply: FastifyReply, { host, protocol }: URL): void {
  raw.headers.host = host
  raw.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  raw.headers['x-forwarded-for'] = ip
  delete raw.headers['x-forwarded-host']
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  reply.hijack()
}

/**
 * `/oauth/userinfo`: who has signed in, as far as the token's sign-in was allowed to know.
 *
 * @see OpenID Connect Core §5.3 and §5.4
 */
export function userinfoRoute({ read }: Database): FastifyPluginAsync {
  const answer = async ({ caller }: FastifyRequest, reply: FastifyReply) => {
    if (caller === 'anonymous') throw problem('unauthenticated')
    const { signInScopes: scopes, user } = caller
    const account = await read.accounts.find(user)
    if (!scopes?.has('openid') || !account) {
      throw problem('unauthenticated', {
        message: 'The access token does not come from a sign-in with the scope openid.',
      })
    }
    const { sub, email, name } = claimsOf(account)
    reply.header('cache-control', 'no-store')
    return {
      sub,
      ...(scopes.has('email') && { email }),
      ...(scopes.has('profile') && name !== undefined && { name }),
    }
  }
  return async (app) => {
    // A form that asks has nothing to say but its token, which stands in the header.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null, undefined)
    })
    const handler = { operation: 'none', handler: answer } as const
    resource(app, userinfoPath, { GET: handler, POST: handler })
  }
}

/** The path at which a refused client learns where to sign in. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/api'

interface ResourceMetadataOptions {
  readonly origin: () => string
  /** Whose tokens the service takes. */
  readonly issuer: () => string
}

/** The metadata of the service as a protected resource. @see RFC 9728 */
export function resourceMetadata(options: ResourceMetadataOptions): FastifyPluginAsync {
  const { origin, issuer } = options
  return async (app) => {
    for (const url of [resourceMetadataPath, '/.well-known/oauth-protected-resource']) {
      resource(app, url, {
        GET: {
          operation: 'none',
          handler: async () => ({
            resource: resourceAt(origin()),
            authorization_servers: [issuer()],
            scopes_supported: [...Object.keys(oidcScopes), ...Object.keys(scopes)],
            bearer_methods_supported: ['header'],
            resource_name: 'deposit',
          }),
        },
      })
    }
  }
}
