import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  isJsonObject,
  problem,
  requireNoneAnnounced,
  requireNotSubmitted,
  runAction,
  type Beside,
  type Deposit,
  type Json,
  type JsonObject,
  type NewVersionInput,
} from '../../../core/index.ts'
import { filesOfRecord } from '../../api/objects.ts'
import { guardedDeposit } from '../../api/route.ts'
import {
  askedOf,
  once,
  readBodiesAsJson,
  replaceDocument,
  serve,
  type ForeignRoute,
} from '../serve.ts'
import { prefix, toDraft, toRecord, type Rdm } from './answers.ts'
import {
  externalDoi,
  fromRdmDocument,
  publishFaults,
  toRdmDocument,
  type Described,
} from './metadata.ts'

const draft = `${prefix}/records/{id}/draft`

/** `records/{id}/draft`: deposits as InvenioRDM's clients make, change and publish them. */
export async function draftRoutes(app: FastifyInstance, rdm: Rdm): Promise<void> {
  const { services } = rdm
  const { parts, deposits } = services
  readBodiesAsJson(app)
  serve(app, services, [draft], {
    GET: {
      needs: 'read',
      cost: 'work',
      handler: (request, reply) => send(rdm, reply, openDraft(request)),
    },
    POST: {
      needs: 'act',
      cost: 'work',
      handler: async (request, reply) => {
        const deposit = guardedDeposit(request)
        const isOpen = deposit.status === 'draft'
        requireNotSubmitted(deposit, 'edit')
        const asked = { ...askedOf(request, deposit), name: 'edit' }
        const edited = isOpen
          ? deposit
          : await once(services, request, reply, (beside) => runAction(parts, { ...asked, beside }))
        return send(rdm, reply.code(201), edited)
      },
    },
    PUT: {
      needs: 'update',
      cost: 'work',
      handler: async (request, reply) => {
        const changed = await replaceDocument(services, request, openDraft(request), (deposit) =>
          documentOf(rdm, request, deposit),
        )
        return send(rdm, reply, changed)
      },
    },
    DELETE: {
      needs: 'delete',
      handler: async (request, reply) => {
        const { record, ...deposit } = openDraft(request)
        const asked = askedOf(request, deposit)
        if (record) await runAction(parts, { ...asked, name: 'discard' })
        else await deposits.remove(asked.caller, asked.id, true, asked.expected)
        return reply.code(204).send()
      },
    },
  })
  serve(app, services, [`${draft}/actions/publish`], {
    POST: {
      needs: 'act',
      cost: 'work',
      handler: async (request, reply) => {
        const isAnswered = await services.attempts.isKnown(request)
        const deposit = isAnswered ? guardedDeposit(request) : openDraft(request)
        if (!isAnswered) await requirePublishable(rdm, deposit)
        const asked = { ...askedOf(request, deposit), name: 'publish' }
        const requireWhole = requireNoneAnnounced(deposit, () => invalid('files', notWhole))
        const { record } = await once(services, request, reply, (beside) =>
          runAction(parts, { ...asked, beside: withBefore(beside, requireWhole) }),
        )
        const published = await services.records.get(record?.value ?? '')
        const files = await filesOfRecord(services, request, published)
        return reply.code(202).send(await toRecord(rdm, published, files))
      },
    },
  })
  serve(app, services, [`${draft}/pids/doi`], {
    POST: {
      needs: 'act',
      cost: 'work',
      handler: async (request, reply) => {
        const deposit = openDraft(request)
        requireNotSubmitted(deposit, 'reserve')
        const makesDois = parts.providers.some(({ scheme }) => scheme === 'doi')
        const reserved =
          makesDois && !deposit.record
            ? await runAction(parts, { ...askedOf(request, deposit), name: 'reserve' })
            : deposit
        return send(rdm, reply.code(201), reserved)
      },
    },
  })
}

/** `POST records`: makes a draft. */
export function makeDraft(rdm: Rdm): ForeignRoute {
  const { parts, deposits } = rdm.services
  return {
    needs: 'create',
    handler: async (request, reply) => {
      const now = parts.clock.now()
      const document = documentOf(rdm, request, { metadata: {}, created: now, updated: now })
      const made = await once(rdm.services, request, reply, (beside) =>
        deposits.create(request.caller, document, beside),
      )
      return send(rdm, reply.code(201), made)
    },
  }
}

/**
 * `POST records/{id}/versions`: the draft of the next version. One that is begun by it has no files, no
 * publication date and no version: `files-import` brings the files of the version before.
 */
export function beginVersion(rdm: Rdm): ForeignRoute {
  const { services } = rdm
  return {
    needs: 'act',
    cost: 'work',
    handler: async (request, reply) => {
      const asked = { ...askedOf(request, guardedDeposit(request)), name: 'newversion' }
      const input: NewVersionInput = { isEmpty: true, without: ['publication_date', 'version'] }
      const next = await once(services, request, reply, (beside) =>
        runAction(services.parts, { ...asked, input, beside }),
      )
      return send(rdm, reply.code(201), next)
    },
  }
}

/** @throws {DepositError} deposit_not_found: it is published, and not being edited */
export function openDraft(request: FastifyRequest): Deposit {
  const deposit = guardedDeposit(request)
  if (deposit.status === 'draft') return deposit
  throw problem('deposit_not_found')
}

async function send(rdm: Rdm, reply: FastifyReply, deposit: Deposit): Promise<FastifyReply> {
  const body = await toDraft(rdm, deposit)
  const { self } = (body as { readonly links: { readonly self: string } }).links
  reply.header('deposit-revision', String(deposit.revision))
  if (reply.statusCode === 201) reply.header('location', self)
  return reply.send(body)
}

/**
 * The document that a request makes of the one there is.
 *
 * @throws {DepositError} invalid_document: the body is no object, or a part of it is none
 */
function documentOf(
  { services }: Rdm,
  { body = {} }: FastifyRequest,
  before: Described & Pick<Partial<Deposit>, 'record'>,
): JsonObject {
  const sent = body ?? {}
  if (!isJsonObject(sent)) throw invalid('', 'Not a valid object.')
  const { metadata = {}, access = {} } = sent
  if (metadata !== null && !isJsonObject(metadata)) throw invalid('metadata', 'Invalid input type.')
  if (access !== null && !isJsonObject(access)) throw invalid('access', 'Invalid input type.')
  const { record, metadata: own } = before
  if (record && wantsOtherDoi(sent['pids'], own['doi']))
    throw invalid('pids.doi', 'The DOI of a published record cannot be changed.')
  if (isJsonObject(access) && access['record'] === 'restricted')
    throw invalid('access.record', 'Metadata are public here; files may be restricted.')
  return fromRdmDocument(sent, before, services.parts.clock.now().slice(0, 10))
}

function wantsOtherDoi(pids: Json | undefined, own: Json | undefined): boolean {
  const wanted = externalDoi(pids)
  return wanted !== undefined && wanted !== own
}

/** InvenioRDM's words. */
const notWhole = 'One or more files have not completed their transfer, please wait.'

function withBefore(beside: Beside, first: NonNullable<Beside['before']>): Beside {
  return {
    ...beside,
    before: async (unit) => {
      await beside.before?.(unit)
      await first(unit)
    },
  }
}

/** @throws {DepositError} invalid_document: InvenioRDM would not publish it */
async function requirePublishable({ services }: Rdm, deposit: Deposit): Promise<void> {
  const shown = toRdmDocument(deposit, services.parts.clock.now().slice(0, 10))
  const isEmpty = shown.hasFiles && (await services.files.list(deposit)).length === 0
  const message =
    'Missing uploaded files. To disable files for this record please mark it as metadata-only.'
  const faults = [
    ...publishFaults(shown),
    ...(isEmpty ? [{ field: 'files.enabled', message }] : []),
  ]
  if (faults.length > 0) throw problem('invalid_document', { faults })
}

export function invalid(field: string, message: string) {
  return problem('invalid_document', { faults: [{ field, message }] })
}
