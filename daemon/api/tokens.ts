import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { newTokenBody, tokenListBody, tokenRequest } from '../../core/contract/token-schemas.ts'
import type { TokenRequest } from '../../core/contract/token-schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import {
  authorize,
  parseDepositId,
  problem,
  wrongField,
  type TokenGrant,
} from '../../core/index.ts'
import { isRefusal } from '../http/problem-reply.ts'
import { withinOwnRights } from '../sign-in/identity/delegate.ts'
import type { Identified } from '../http/identity.ts'
import { issueToken } from '../sign-in/identity/personal-tokens.ts'
import { json } from './openapi/parameters.ts'
import { done, resource } from './route.ts'
import type { Services } from './services.ts'

/** `/tokens/`: the personal tokens of the caller. */
export function tokenRoutes(services: Services): FastifyPluginAsync {
  const { parts, routes } = services
  const { database, clock } = parts
  return async (app) => {
    resource(app, services, routes.tokenList, {
      GET: {
        id: 'listTokens',
        tag: 'tokens',
        summary: 'List one’s own tokens',
        needs: 'account',
        answers: { 200: done(tokenListBody) },
        handler: async (request) => {
          const tokens = await database.read.tokens.list(signedIn(request).user)
          return tokens.map(toBody)
        },
      },
      POST: {
        id: 'createToken',
        tag: 'tokens',
        summary: 'Create a token',
        needs: 'account',
        body: json(tokenRequest),
        isChecked: true,
        answers: { 201: done(newTokenBody) },
        handler: async (request, reply) => {
          const caller = signedIn(request)
          const asked = withinOwnRights(caller, request.body as TokenRequest, clock.forward())
          if (asked.deposit !== undefined) await requireDeposit(services, caller, asked.deposit)
          const { value, grant } = await issueToken(parts, { user: caller.user, ...asked })
          return reply.code(201).send({ ...toBody(grant), token: value })
        },
      },
    })
    resource(app, services, `${routes.tokenList}/{id}`, {
      DELETE: {
        id: 'revokeToken',
        tag: 'tokens',
        summary: 'Revoke a token, and those made with it',
        needs: 'account',
        answers: {
          204: { description: 'It is refused from now on, and so are those made with it.' },
        },
        handler: async (request, reply) => {
          const { id } = request.params as { readonly id: string }
          const { user, scopes, token } = signedIn(request)
          if (token.id !== id && !scopes.has(writeScope))
            throw problem('insufficient_scope', { scope: writeScope })
          const own = await database.read.tokens.list(user)
          if (!own.some((one) => one.id === id)) throw problem('not_found')
          await database.write((unit) => unit.tokens.remove(id))
          return reply.code(204).send()
        },
      },
    })
  }
}

/** @throws {DepositError} malformed_request: a token for this deposit would be good for nothing */
async function requireDeposit(
  { endpoints, parts }: Services,
  caller: Identified,
  value: string,
): Promise<void> {
  const id = parseDepositId(value)
  const deposit = await parts.database.read.deposits.find(id)
  const own = deposit && endpoints.get(deposit.pidType)
  try {
    await authorize(own?.parts ?? parts, caller, id, 'read')
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw wrongField(
      'malformed_request',
      'deposit',
      `There is no deposit "${value}" that you can read.`,
    )
  }
}

function signedIn({ caller }: FastifyRequest): Identified {
  if (caller === 'anonymous') throw problem('unauthenticated')
  return caller
}

function toBody({ id, name, scopes, deposit, created, expires, parent }: TokenGrant) {
  return {
    id,
    name,
    scope: scopes.join(' '),
    deposit: deposit ?? null,
    created,
    expires: expires ?? null,
    parent: parent ?? null,
  }
}
