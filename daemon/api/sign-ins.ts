import { Type } from 'typebox'
import type { FastifyPluginAsync } from 'fastify'
import { timestamp } from '../../core/contract/schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import { problem } from '../../core/index.ts'
import { endSignIns, listSignIns } from '../sign-in/identity/end-sign-ins.ts'
import { done, resource } from './route.ts'
import type { Services } from './services.ts'

const signInListBody = Type.Array(
  Type.Object(
    {
      program: Type.String({ description: 'The client that is signed in, such as `deposit-cli`.' }),
      since: Type.Optional(timestamp),
      until: timestamp,
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
        handler: async ({ caller }) =>
          caller === 'anonymous' ? [] : [...(await listSignIns(parts, caller.user))],
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
  }
}
