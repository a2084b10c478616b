import { Type, type TSchema } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { depositBody, metadataDocument } from '../../core/contract/schemas.ts'
import {
  authorize,
  authorizeRepeated,
  canonicalJson,
  shownTo,
  wrongField,
  type Beside,
  type Deposit,
  type Json,
  type PatchForm,
} from '../../core/index.ts'
import { toDocument } from '../http/bodies.ts'
import { acceptPatch, patchForm, sendAs, type patchTypes } from '../http/negotiation.ts'
import { expectedRevision, isUnchanged } from '../http/revision.ts'
import { changeAnswer, depositAnswer, depositAnswers } from './deposit-json.ts'
import {
  conditionalChange,
  conditionalRead,
  gone,
  json,
  repeatable,
  unchanged,
  validators,
} from './openapi/parameters.ts'
import { isSentAsStored, sendItem } from './send-list.ts'
import { readDepositAhead } from './read-ahead.ts'
import { done, resource, depositId, guardedDeposit } from './route.ts'
import type { Services } from './services.ts'

/** @see RFC 6902 */
const jsonPatch = Type.Array(
  Type.Object(
    {
      op: Type.Union(
        (['add', 'remove', 'replace', 'move', 'copy', 'test'] as const).map((op) =>
          Type.Literal(op),
        ),
      ),
      path: Type.String({ description: 'JSON pointer.' }),
      from: Type.Optional(Type.String()),
      value: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: true },
  ),
  {
    $id: 'JsonPatch',
    description: 'Operations one after another (RFC 6902); all are done or none.',
    examples: [[{ op: 'replace', path: '/title', value: 'Water levels' }]],
  },
)

/** A patch of a document, by the media types it may come as. */
export const patches: Readonly<Record<(typeof patchTypes)[number], TSchema>> = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': metadataDocument,
  'application/json': jsonPatch,
}

/** `/deposits/{pid_value}`: read, replace, patch and delete a deposit. */
export function depositItem(services: Services): FastifyPluginAsync {
  const { deposits, links, parts, routes, serializers } = services
  const answerOf = depositAnswers(services)
  const rewrite = (
    request: FastifyRequest,
    reply: FastifyReply,
    content: () => string,
    make: (beside?: Beside) => Promise<Deposit>,
  ): Promise<FastifyReply> =>
    services.attempts.answer(request, reply, {
      content,
      serializers: serializers.record,
      make: async ({ beside }) => ({ deposit: await make(beside), answer: undefined }),
      toAnswer: async (deposit, rows) => {
        const shown = shownTo(request.caller, deposit)
        const { headers, body } = await changeAnswer(links, shown, rows)
        return { status: 200, headers, body }
      },
    })
  return async (app) => {
    resource(app, services, routes.depositItem, {
      GET: {
        id: 'readDeposit',
        tag: 'deposits',
        summary: 'Read a deposit',
        needs: 'read',
        headers: conditionalRead,
        answers: { 200: done(depositBody), ...unchanged },
        answerHeaders: [...validators, 'Link'],
        offers: serializers.record,
        cost: (_request, reply) => (isSentAsStored(reply, serializers.record) ? 'text' : 'work'),
        readAhead: async (request) => {
          const deposit = await readDepositAhead(services, request, depositId(request))
          if (deposit) await answerOf(deposit)
        },
        handler: async (request, reply) => {
          const deposit = guardedDeposit(request)
          const { headers, body, json, beside } = await answerOf(deposit)
          const { revision, updated } = deposit
          if (isUnchanged(request, { revision, updated, beside })) {
            return reply.headers(headers).code(304).send()
          }
          return sendItem(reply.headers(headers), serializers.record, body, json)
        },
      },
      PUT: {
        id: 'replaceDeposit',
        tag: 'deposits',
        summary: 'Replace the metadata of a draft; an empty document clears it',
        needs: 'revise',
        headers: { ...conditionalChange, ...repeatable },
        body: json(metadataDocument),
        answers: { 200: done(depositBody) },
        answerHeaders: [...validators, 'Link'],
        offers: serializers.record,
        cost: 'work',
        handler: async (request, reply) => {
          const [caller, id, expected] = asked(request)
          const document = toDocument(request.body)
          return rewrite(
            request,
            reply,
            () => canonicalJson(document),
            (beside) => deposits.replace(caller, id, document, expected, beside),
          )
        },
      },
      PATCH: {
        config: { acceptPatch },
        id: 'patchDeposit',
        tag: 'deposits',
        summary: 'Change the metadata of a draft by a JSON Patch',
        needs: 'revise',
        headers: { ...conditionalChange, ...repeatable },
        body: patches,
        answers: { 200: done(depositBody) },
        answerHeaders: [...validators, 'Link'],
        offers: serializers.record,
        cost: 'work',
        handler: async (request, reply) => {
          const [caller, id, expected] = asked(request)
          const [patch, form] = [request.body as Json, patchForm(request)]
          return rewrite(
            request,
            reply,
            () => patchContent(patch, form),
            (beside) => deposits.patch(caller, id, patch, expected, form, beside),
          )
        },
      },
      DELETE: {
        id: 'deleteDeposit',
        tag: 'deposits',
        summary: 'Delete a draft that was never published',
        needs: 'delete',
        permit: async (request, intent) => {
          const [caller, id, expected] = asked(request)
          if (await services.attempts.isKnown(request))
            return authorizeRepeated(parts, caller, id, intent)
          return authorize(parts, caller, id, intent, expected)
        },
        headers: { ...conditionalChange, ...repeatable },
        query: {
          force: Type.Optional(
            Type.String({ description: '`false` keeps it for a while: an operator can undelete.' }),
          ),
        },
        answers: gone,
        handler: async (request, reply) => {
          const [caller, id, expected] = asked(request)
          const force = isForced(request)
          using attempt = await services.attempts.begin(request)
          return await attempt.answer(reply, {
            content: '',
            freesRoom: true,
            make: (beside) => deposits.remove(caller, id, force, expected, beside),
            toAnswer: () => ({ status: 204, headers: {} }),
          })
        },
      },
    })
  }
}

function asked(request: FastifyRequest) {
  return [request.caller, depositId(request), expectedRevision(request)] as const
}

/**
 * `?force=false` keeps a deleted draft for a while.
 *
 * @throws {DepositError} malformed_request: it is neither; a final deletion needs a clear value
 */
function isForced({ query }: FastifyRequest): boolean {
  const { force = 'true' } = query as Readonly<Record<string, unknown>>
  const text = String(force).toLowerCase()
  if (text === 'false' || text === '0') return false
  if (text === 'true' || text === '1' || text === '') return true
  throw wrongField('malformed_request', 'force', 'Write true or false.')
}

/** Tells a patch apart from others: the same operations may be meant as another kind of patch. */
export function patchContent(patch: Json, form: PatchForm): string {
  return [form, canonicalJson(patch)].join('\n')
}

/** Answers with a deposit as it is now. */
export async function sendDeposit(
  { parts, links, serializers }: Services,
  reply: FastifyReply,
  deposit: Deposit,
): Promise<FastifyReply> {
  const { headers, body } = await depositAnswer(
    links,
    shownTo(reply.request.caller, deposit),
    parts.database.read,
  )
  return sendAs(reply.headers(headers), serializers.record, body)
}
