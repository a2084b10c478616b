import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  isJsonObject,
  isProblem,
  problem,
  runAction,
  withoutFiles,
  type Deposit,
  type JsonObject,
} from '../../../core/index.ts'
import { guardedDeposit } from '../../api/route.ts'
import { readBodiesAsJson, serve, type ForeignRoute } from '../serve.ts'
import { prefix, toDraft, toRecord, type Rdm } from './answers.ts'
import { fromRdmDocument, missingFields, toRdmDocument, type Described } from './metadata.ts'

const draft = `${prefix}/records/{id}/draft`

/** `records/{id}/draft`: deposits as InvenioRDM's clients make, change and publish them. */
export async function draftRoutes(app: FastifyInstance, rdm: Rdm): Promise<void> {
  const { services } = rdm
  const { parts, deposits } = services
  readBodiesAsJson(app)
  serve(app, services, [draft], {
    GET: {
      needs: 'read',
      handler: (request, reply) => send(rdm, reply, openDraft(request)),
    },
    POST: {
      needs: 'act',
      handler: async (request, reply) => {
        const deposit = guardedDeposit(request)
        const { caller } = request
        const isOpen = deposit.status === 'draft'
        const edited = isOpen
          ? deposit
          : await runAction(parts, { caller, id: deposit.id, name: 'edit' })
        return send(rdm, reply.code(201), edited)
      },
    },
    PUT: {
      needs: 'update',
      handler: async (request, reply) => send(rdm, reply, await replace(rdm, request)),
    },
    DELETE: {
      needs: 'delete',
      handler: async (request, reply) => {
        const { id, record } = openDraft(request)
        const { caller } = request
        if (record) await runAction(parts, { caller, id, name: 'discard' })
        else await deposits.remove(caller, id, true)
        return reply.code(204).send()
      },
    },
  })
  serve(app, services, [`${draft}/actions/publish`], {
    POST: {
      needs: 'act',
      handler: async (request, reply) => {
        const deposit = openDraft(request)
        await requirePublishable(rdm, deposit)
        const { caller } = request
        const { record } = await runAction(parts, { caller, id: deposit.id, name: 'publish' })
        const published = await services.records.get(record?.value ?? '')
        const files = await services.records.files(published)
        return reply.code(202).send(await toRecord(rdm, published, files))
      },
    },
  })
  serve(app, services, [`${draft}/pids/doi`], {
    POST: {
      needs: 'act',
      handler: async (request, reply) => {
        const deposit = openDraft(request)
        const { caller } = request
        const makesDois = parts.providers.some(({ scheme }) => scheme === 'doi')
        const reserved =
          makesDois && !deposit.record
            ? await runAction(parts, { caller, id: deposit.id, name: 'reserve' })
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
      return send(rdm, reply.code(201), await deposits.create(request.caller, document))
    },
  }
}

/** `POST records/{id}/versions`: the draft of the next version, without files when it is begun. */
export function beginVersion(rdm: Rdm): ForeignRoute {
  const { parts } = rdm.services
  return {
    needs: 'act',
    handler: async (request, reply) => {
      const deposit = guardedDeposit(request)
      const { caller } = request
      // `files-import` brings those of the version before.
      const asked = { caller, id: deposit.id, name: 'newversion', input: withoutFiles }
      return send(rdm, reply.code(201), await runAction(parts, asked))
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
 * Replaces the metadata. If a file arrives at the same time, which is a revision too, the document is
 * made again from the deposit as it is then.
 */
async function replace(rdm: Rdm, request: FastifyRequest): Promise<Deposit> {
  const { deposits } = rdm.services
  const { caller } = request
  for (let deposit = openDraft(request), tries = 1; ; tries += 1) {
    const document = documentOf(rdm, request, deposit)
    try {
      return await deposits.replace(caller, deposit.id, document, [deposit.revision])
    } catch (error) {
      if (!isProblem(error, 'stale_revision') || tries === mostTries) throw error
      deposit = await deposits.get(caller, deposit.id)
    }
  }
}

/** Attempts to replace metadata while other requests change the deposit. */
const mostTries = 20

/**
 * The document that a request makes of the one there is.
 *
 * @throws {DepositError} invalid_document: the body is no object, or a part of it is none
 */
function documentOf(
  { services }: Rdm,
  { body = {} }: FastifyRequest,
  before: Described,
): JsonObject {
  const sent = body ?? {}
  if (!isJsonObject(sent)) throw invalid('', 'Not a valid object.')
  const { metadata = {}, access = {} } = sent
  if (metadata !== null && !isJsonObject(metadata)) throw invalid('metadata', 'Invalid input type.')
  if (access !== null && !isJsonObject(access)) throw invalid('access', 'Invalid input type.')
  if (isJsonObject(access) && access['record'] === 'restricted')
    throw invalid('access.record', 'Metadata are public here; files may be restricted.')
  return fromRdmDocument(sent, before, services.parts.clock.now().slice(0, 10))
}

/** @throws {DepositError} invalid_document: InvenioRDM would not publish it */
async function requirePublishable({ services }: Rdm, deposit: Deposit): Promise<void> {
  const shown = toRdmDocument(deposit, services.parts.clock.now().slice(0, 10))
  const missing = missingFields(shown).map((name) => ({
    field: `metadata.${name}`,
    message: 'Missing data for required field.',
  }))
  const isEmpty = shown.hasFiles && (await services.files.list(deposit)).length === 0
  const message =
    'Missing uploaded files. To disable files for this record please mark it as metadata-only.'
  const faults = [...missing, ...(isEmpty ? [{ field: 'files.enabled', message }] : [])]
  if (faults.length > 0) throw problem('invalid_document', { faults })
}

export function invalid(field: string, message: string) {
  return problem('invalid_document', { faults: [{ field, message }] })
}
