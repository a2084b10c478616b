import { Type } from 'typebox'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { depositBody, rehearsalBody, type RehearsalBody } from '../../core/contract/schemas.ts'
import { undoRequest } from '../../core/contract/history.ts'
import {
  withdrawalReasons,
  withdrawalRequest,
  type WithdrawalReason,
} from '../../core/contract/withdrawal.ts'
import {
  intentOf,
  rehearseAction,
  rehearsePublish,
  runAction,
  wrongField,
  type DepositAction,
  type WithdrawnVersion,
} from '../../core/index.ts'
import type { Links } from '../config/links.ts'
import { ignoreMediaTypes } from '../http/bodies.ts'
import { expectedRevision } from '../http/revision.ts'
import { jsonAlone } from '../config/serializers.ts'
import { depositAnswer } from './deposit-json.ts'
import { conditionalChange, json, repeatable, validators } from './openapi/parameters.ts'
import { done, resource, depositId, type Route, type Routes } from './route.ts'
import type { Services } from './services.ts'

/**
 * `/deposits/{pid_value}/actions/{action}`: one route for each action of the registry, so a name
 * that is none matches no route.
 *
 * @see Specification, "Deposit action"
 */
export function depositActions(services: Services): FastifyPluginAsync {
  const { parts, routes } = services
  return async (app) => {
    const all = Object.entries(parts.actions)
    const add = (own: FastifyInstance, [name, action]: readonly [string, DepositAction]): void =>
      resource(own, services, routes.depositAction.replace('{action}', name), {
        ...rehearsals[name]?.(services),
        POST: run(services, name, action),
      })
    for (const each of all.filter(([, { takes }]) => takes)) add(app, each)
    await app.register(async (own) => {
      ignoreMediaTypes(own)
      for (const each of all.filter(([, { takes }]) => !takes)) add(own, each)
    })
  }
}

function run(services: Services, name: string, action: DepositAction): Route {
  const { parts, links } = services
  const { summary, status = 201, takes, freesRoom, canDoWithoutBody } = action
  return {
    ...(takes && { body: json(takes), isChecked: true }),
    ...(canDoWithoutBody && { canDoWithoutBody }),
    id: `${name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Deposit`,
    tag: 'actions',
    summary,
    needs: intentOf(action),
    headers: { ...conditionalChange, ...repeatable },
    answers: { [status]: done(depositBody) },
    answerHeaders: [...validators, 'Location', 'Link'],
    offers: services.serializers.record,
    // One that may be long waits for its turn itself.
    ...(!action.isLong && { cost: 'work' }),
    handler: async (request, reply) => {
      const expected = expectedRevision(request)
      const input = takes && (request.body ?? {})
      const { caller, deposit: found } = request
      const asked = { caller, id: depositId(request), name, input, found }
      using attempt = await services.attempts.begin(request)
      return await attempt.answer(reply, {
        content: takes ? JSON.stringify(input) : '',
        ...(freesRoom && { freesRoom }),
        serializers: services.serializers.record,
        make: (beside) => runAction(parts, { ...asked, ...(expected && { expected }), beside }),
        toAnswer: async (deposit, rows) => {
          const { headers, body } = await depositAnswer(links, deposit, rows)
          const location = links.depositItem(deposit.id)
          return { status, headers: { ...headers, location }, body }
        },
      })
    },
  }
}

/** The actions that can be rehearsed. */
const rehearsals: Readonly<Record<string, (services: Services) => Routes>> = {
  publish: rehearsal,
  withdraw: withdrawalRehearsal,
  undo: undoRehearsal,
}

/** Does what the undo would, and takes it back. */
function undoRehearsal({ parts, links, serializers }: Services): Routes {
  return {
    GET: {
      id: 'rehearseUndo',
      tag: 'actions',
      summary: 'Answer the deposit as it would be after the undo, without doing anything',
      needs: 'update',
      query: { to: Type.Optional(undoRequest.properties.to) },
      answers: { 200: done(depositBody) },
      offers: serializers.record,
      handler: async (request, reply) => {
        const { to } = request.query as { readonly to?: string }
        if (to !== undefined && !/^\d{1,9}$/.test(to))
          throw wrongField('malformed_request', 'to', 'The number of a revision is expected.')
        const input = to === undefined ? {} : { to: Number(to) }
        const { caller, deposit: found } = request
        const asked = { caller, id: depositId(request), name: 'undo', input, found }
        const deposit = await rehearseAction(parts, asked)
        const { body } = await depositAnswer(links, deposit, parts.database.read)
        return reply.send(body)
      },
    },
  }
}

/** Does what the action would, and takes it back. */
function withdrawalRehearsal({ parts, links, serializers }: Services): Routes {
  const { reason, replaced_by: replacedBy } = withdrawalRequest.properties
  return {
    GET: {
      id: 'rehearseWithdraw',
      tag: 'actions',
      summary: 'Answer the deposit as it would be after the withdrawal, without doing anything',
      needs: 'curate',
      query: {
        reason: { ...reason, description: 'As the action takes it.' },
        replaced_by: replacedBy,
        destroy_bytes: Type.Optional(Type.String({ description: '`true` or `false`.' })),
      },
      answers: { 200: done(depositBody) },
      offers: serializers.record,
      cost: 'work',
      handler: async (request, reply) => {
        const { reason: why, replaced_by: by, ...query } = request.query as Asked
        const input = {
          reason: requireReason(why),
          ...(by !== undefined && { replaced_by: by }),
          destroy_bytes: query.destroy_bytes === 'true',
        }
        const asked = { caller: request.caller, id: depositId(request), name: 'withdraw', input }
        const deposit = await rehearseAction(parts, asked)
        const { body } = await depositAnswer(links, deposit, parts.database.read)
        return reply.send(body)
      },
    },
  }
}

interface Asked {
  readonly reason?: string
  readonly replaced_by?: string
  readonly destroy_bytes?: string
}

/** @throws {DepositError} malformed_request: it is none, as the action itself would say */
function requireReason(given: string | undefined): WithdrawalReason {
  const reason = withdrawalReasons.find((each) => each === given)
  if (reason !== undefined) return reason
  const said = `It must be one of ${withdrawalReasons.join(', ')}.`
  throw wrongField('malformed_request', 'reason', said)
}

/** Lists every reason against publishing, and changes nothing. @see Contract §3.9 */
function rehearsal(services: Services): Routes {
  return {
    GET: {
      id: 'rehearsePublish',
      tag: 'actions',
      summary: 'List everything that keeps it from being published, without doing anything',
      needs: 'read',
      answers: { 200: done(rehearsalBody) },
      offers: jsonAlone,
      cost: 'work',
      handler: async (request) => {
        const { parts, links } = services
        const { needsReview, withdrawnVersion, ...found } = await rehearsePublish(
          parts,
          request.caller,
          depositId(request),
        )
        const publishable = found.errors.length === 0
        return {
          publishable,
          ...(needsReview && { needs_review: true }),
          ...(withdrawnVersion && { withdrawn_version: toWithdrawn(withdrawnVersion, links) }),
          ...found,
        }
      },
    },
  }
}

function toWithdrawn(
  { value, withdrawal: { at, reason } }: WithdrawnVersion,
  links: Links,
): NonNullable<RehearsalBody['withdrawn_version']> {
  return { url: links.recordPage(value), at, reason }
}
