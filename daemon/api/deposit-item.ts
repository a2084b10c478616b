import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { depositBody } from '../../core/contract/schemas.ts'
import { MalformedRequest, type Database, type Deposit, type Json } from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { toDocument } from '../http/document-body.ts'
import { acceptPatch, patchForm, patchTypes } from '../http/media-types.ts'
import { resource } from '../http/route.ts'
import { expectedRevision, isUnchanged, setValidators, validators } from '../http/revision.ts'
import { acceptable, sendAs } from '../http/by-media-type.ts'
import { toDepositBody } from './serializers/deposit-json.ts'
import { knownAnswers, type DepositAnswer } from './idempotency/known-answers.ts'
import type { Links } from '../config/links.ts'
import { depositId, guardDeposit, guardedDeposit } from './guards.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}`: read, replace, patch and delete a deposit. */
export function depositItem(services: Services): FastifyPluginAsync {
  const { deposits, routes, serializers } = services
  const answerOf = depositAnswers(services)
  const accept = acceptable(serializers.record)
  return async (app) => {
    resource(app, toPattern(routes.depositItem), {
      GET: {
        schema: { response: { 200: depositBody } },
        onRequest: [...guardDeposit(services, 'read'), accept],
        handler: async (request, reply) => {
          const deposit = guardedDeposit(request)
          if (isUnchanged(request, deposit)) return setUnchanged(reply, deposit)
          const { headers, body, json } = await answerOf(deposit)
          return sendAs(reply.headers(headers), serializers.record, body, json)
        },
      },
      PUT: {
        schema: { response: { 200: depositBody } },
        onRequest: [...guardDeposit(services, 'update', 'application/json'), accept],
        handler: async (request, reply) => {
          const [caller, id, expected] = asked(request)
          const document = toDocument(request.body)
          return sendDeposit(
            services,
            reply,
            await deposits.replace(caller, id, document, expected),
          )
        },
      },
      PATCH: {
        config: { acceptPatch },
        schema: { response: { 200: depositBody } },
        onRequest: [...guardDeposit(services, 'update', ...patchTypes), accept],
        handler: async (request, reply) => {
          const [caller, id, expected] = asked(request)
          const [patch, form] = [request.body as Json, patchForm(request)]
          const changed = await deposits.patch(caller, id, patch, expected, form)
          return sendDeposit(services, reply, changed)
        },
      },
      DELETE: {
        onRequest: guardDeposit(services, 'delete'),
        handler: async (request, reply) => {
          const [caller, id, expected] = asked(request)
          await deposits.remove(caller, id, isForced(request), expected)
          return reply.code(204).send()
        },
      },
    })
  }
}

function asked(request: FastifyRequest) {
  return [request.caller, depositId(request), expectedRevision(request)] as const
}

/**
 * `?force=false` keeps what is deleted for a while.
 *
 * @throws {MalformedRequest} it is neither: what cannot be undone is not done on a guess
 */
function isForced({ query }: FastifyRequest): boolean {
  const { force = 'true' } = query as Readonly<Record<string, unknown>>
  const text = String(force).toLowerCase()
  if (text === 'false' || text === '0') return false
  if (text === 'true' || text === '1' || text === '') return true
  throw new MalformedRequest('force', 'Write true or false.')
}

function setUnchanged(reply: FastifyReply, deposit: Deposit): FastifyReply {
  setValidators(reply, deposit)
  return reply.code(304).send()
}

/** What reads are answered with. */
function depositAnswers({ parts, links }: Services): (deposit: Deposit) => Promise<DepositAnswer> {
  const make = (deposit: Deposit) => depositAnswer(links, deposit, parts.database.read)
  // An operator's own links may depend on more than rows.
  return links.areOurs ? knownAnswers(make) : make
}

/** Answers with a deposit as it is now. */
export async function sendDeposit(
  { parts, links, serializers }: Services,
  reply: FastifyReply,
  deposit: Deposit,
): Promise<FastifyReply> {
  const { headers, body } = await depositAnswer(links, deposit, parts.database.read)
  return sendAs(reply.headers(headers), serializers.record, body)
}

/** The rows that an answer is made from. */
interface AnswerReaders {
  readonly files: Pick<Database['read']['files'], 'totals'>
  readonly pids: Pick<Database['read']['pids'], 'find'>
}

/** A deposit as it is answered: its revision is the entity tag. */
export async function depositAnswer(
  links: Links,
  deposit: Deposit,
  { files, pids }: AnswerReaders,
): Promise<DepositAnswer> {
  const url = links.depositItem(deposit.id)
  const totals = await files.totals([deposit.bucket])
  const pid = deposit.status === 'published' ? await pids.find(deposit.record) : undefined
  const counted = totals.get(deposit.bucket) ?? { count: 0, size: 0 }
  const body = toDepositBody(deposit, links, counted, pid?.status === 'R')
  return { headers: { ...validators(deposit), link: `<${url}>; rel="self"` }, body }
}
