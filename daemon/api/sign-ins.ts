import { Type } from 'typebox'
import type { FastifyPluginAsync } from 'fastify'
import { timestamp } from '../../core/contract/schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import { problem } from '../../core/index.ts'
import { endSignIn, endSignIns, listSignIns } from '../sign-in/identity/end-sign-ins.ts'
import type { Identified } from '../http/identity.ts'
import { done, resource } from './route.ts'
import type { Services } from './services.ts'

const signInListBody = Type.Array(
  Type.Object(
    {
      id: Type.String(),
      program: Type.String({ description: 'The client that is signed in, such as `deposit-cli`.' }),
      since: Type.Optional(timestamp),
      until: timestamp,
      current: Type.Optional(
        Type.Literal(true, { description: 'The request was made with its token.' }),
      ),
    },
    { $id: 'SignIn' },
  ),
)

/**
 * `/sign-ins/`: where the caller is signed in at the issuer of this service. Those of an external
 * issuer are listed and ended there.
 */
export function signInRoutes(services: Services): FastifyPluginAsync {
  const { parts, routes } = services
  return async (app) => {
    resource(app, services, routes.signInList, {
      GET: {
        id: 'listSignIns',
        tag: 'tokens',
        summary: 'List the programs in which one is signed in, the newest sign-in first',
        needs: 'account',
        answers: { 200: done(signInListBody) },
        handler: async ({ caller }) => {
          if (caller === 'anonymous') return []
          const own = signInOf(caller)
          const all = await listSignIns(parts, caller.user)
          return all.map((one) => (one.id === own ? { ...one, current: true as const } : one))
        },
      },
      DELETE: {
        id: 'endSignIns',
        tag: 'tokens',
        summary: 'Sign out everywhere: in all programs and browsers',
        details:
          'With `deposit:write`. The token of the request ends as well, unless it is a personal one: these stay.',
        needs: 'account',
        answers: { 204: { description: 'All sign-ins have ended, and their tokens are refused.' } },
        handler: async ({ caller }, reply) => {
          if (caller === 'anonymous') throw problem('unauthenticated')
          if (!caller.scopes.has(writeScope))
            throw problem('insufficient_scope', { scope: writeScope })
          await parts.database.write((unit) => endSignIns(unit, caller.user))
          return reply.code(204).send()
        },
      },
    })
    resource(app, services, `${routes.signInList}/{id}`, {
      DELETE: {
        id: 'endSignIn',
        tag: 'tokens',
        summary: 'Sign out in one program or browser',
        details:
          'With `deposit:write`, or with the token of that sign-in. Personal tokens that were made in it stay.',
        needs: 'account',
        answers: { 204: { description: 'It has ended, and its tokens are refused.' } },
        handler: async ({ caller, params }, reply) => {
          if (caller === 'anonymous') throw problem('unauthenticated')
          const { id } = params as { readonly id: string }
          if (!caller.scopes.has(writeScope) && signInOf(caller) !== id)
            throw problem('insufficient_scope', { scope: writeScope })
          const isEnded = await parts.database.write((unit) => endSignIn(unit, caller.user, id))
          if (!isEnded) throw problem('not_found')
          return reply.code(204).send()
        },
      },
    })
  }
}

/** The sign-in that the token of a request is of: a browser's by a ticket is a personal token. */
function signInOf({ token: { signIn, id } }: Identified): string | undefined {
  return signIn ?? id
}
