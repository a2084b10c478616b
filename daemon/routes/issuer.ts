import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { NotFound } from '../http/http-problems.ts'
import type { EmbeddedIssuer } from '../issuer/embedded-issuer.ts'

export interface IssuerRoutesOptions {
  readonly issuer: EmbeddedIssuer
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
}

/** What the issuer answers itself. Everything else below `/oauth` is ours, or not there. */
const issuerRoutes = [
  { method: 'GET', url: '/.well-known/oauth-authorization-server' },
  { method: 'GET', url: '/.well-known/openid-configuration' },
  { method: 'GET', url: '/oauth/jwks' },
  { method: 'GET', url: '/oauth/auth' },
  { method: 'GET', url: '/oauth/auth/:uid' },
  { method: 'POST', url: '/oauth/auth' },
  { method: 'POST', url: '/oauth/device' },
  { method: 'POST', url: '/oauth/introspection' },
  { method: 'POST', url: '/oauth/revocation' },
  { method: 'POST', url: '/oauth/token' },
] as const

/** The routes of the embedded issuer, at the root of the origin: that is the issuer's name. */
export function issuerEndpoints({ issuer, origin }: IssuerRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    // The issuer reads its forms itself.
    app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      // The router decodes a path, the issuer does not: it would not know its own route again.
      if (request.url.split('?')[0]?.includes('%')) throw new NotFound()
      handOver(request, reply, new URL(origin()))
      await issuer.answer(request.raw, reply.raw)
    }
    for (const { method, url } of issuerRoutes) {
      app.route({ method, url, handler, exposeHeadRoute: false })
    }
  }
}

/**
 * Gives request and answer out of our hands. The issuer makes its URLs from what a request says of
 * the host it is for: so that is written anew, from what we know.
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
