import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { problem, type Database } from '../../../core/index.ts'
import { resource } from '../../http/route.ts'
import { claimsOf, userinfoPath } from '../issuer/scopes.ts'

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
