import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { newTokenBody, tokenListBody, tokenRequest } from '../../core/contract/schemas.ts'
import type { TokenRequest } from '../../core/contract/schemas.ts'
import { writeScope } from '../../core/contract/scopes.ts'
import {
  authorize,
  InsufficientScope,
  MalformedRequest,
  parseDepositId,
  PermissionDenied,
  Unauthenticated,
  type TokenGrant,
} from '../../core/index.ts'
import { requireMediaType } from '../http/media-types.ts'
import { isRefusal, NotFound } from '../http/http-problems.ts'
import { resource } from '../http/route.ts'
import { withinOwnRights } from '../sign-in/identity/delegate.ts'
import type { Identified } from '../http/identity.ts'
import { issueToken } from '../sign-in/identity/personal-tokens.ts'
import { requireToken } from './guards.ts'
import type { Services } from './services.ts'

/** `/tokens/`: the personal tokens of whoever asks. */
export function tokenRoutes(services: Services): FastifyPluginAsync {
  const { parts, routes } = services
  const { database, clock } = parts
  const guards = [requireToken, refuseNarrowToken]
  return async (app) => {
    resource(app, routes.tokenList, {
      GET: {
        schema: { response: { 200: tokenListBody } },
        onRequest: guards,
        handler: async (request) => {
          const tokens = await database.read.tokens.list(signedIn(request).user)
          return tokens.map(toBody)
        },
      },
      POST: {
        schema: { body: tokenRequest, response: { 201: newTokenBody } },
        onRequest: [...guards, requireMediaType('application/json')],
        handler: async (request, reply) => {
          const caller = signedIn(request)
          const asked = withinOwnRights(caller, request.body as TokenRequest, clock.forward())
          if (asked.deposit !== undefined) await requireDeposit(services, caller, asked.deposit)
          const { value, grant } = await issueToken(parts, { user: caller.user, ...asked })
          return reply.code(201).send({ ...toBody(grant), token: value })
        },
      },
    })
    resource(app, `${routes.tokenList}/:id`, {
      DELETE: {
        onRequest: guards,
        handler: async (request, reply) => {
          const { id } = request.params as { readonly id: string }
          const { user, scopes, token } = signedIn(request)
          if (token.id !== id && !scopes.has(writeScope)) throw new InsufficientScope(writeScope)
          const own = await database.read.tokens.list(user)
          if (!own.some((one) => one.id === id)) throw new NotFound()
          await database.write((unit) => unit.tokens.remove(id))
          return reply.code(204).send()
        },
      },
    })
  }
}

/** @throws {PermissionDenied} the token is good for one deposit alone, and not for its user */
async function refuseNarrowToken({ caller }: FastifyRequest): Promise<void> {
  if (caller === 'anonymous' || caller.onlyDeposit === undefined) return
  throw new PermissionDenied('The access token is good for one deposit alone.')
}

/** @throws {MalformedRequest} a token for this deposit would be good for nothing */
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
    throw new MalformedRequest('deposit', `There is no deposit "${value}" that you can read.`)
  }
}

function signedIn({ caller }: FastifyRequest): Identified {
  if (caller === 'anonymous') throw new Unauthenticated()
  return caller
}

function toBody({ id, name, scopes, deposit, created, expires }: TokenGrant) {
  return {
    id,
    name,
    scope: scopes.join(' '),
    deposit: deposit ?? null,
    created,
    expires: expires ?? null,
  }
}
