import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { doiOf } from '../../../core/contract/foreign-values.ts'
import {
  parseSearchRequest,
  problem,
  runAction,
  searchDeposits,
  type Beside,
  type Caller,
  type Deposit,
  type DepositFile,
  type JsonObject,
} from '../../../core/index.ts'
import { guardedDeposit, parameters } from '../../api/route.ts'
import { waitForList } from '../../http/large-work.ts'
import { addressOf, prefix, toDeposition, toDepositions, type Zenodo } from './answers.ts'
import { findFaults, findPublishFaults } from './check-metadata.ts'
import { toDocument, toMetadata, type Described } from './metadata.ts'
import { pagesAround, toSearch } from '../paging.ts'
import { tellLimits } from '../limits.ts'
import { askedOf, once, readBodiesAsJson, replaceDocument, serve } from '../serve.ts'
import { invalid, sentMetadata } from './requests.ts'

/** Addresses of depositions: clients that take a host alone ask below `/api`. */
export const bases = [`${prefix}/deposit/depositions`, '/api/deposit/depositions']

/** Depositions of a page, unless another number is asked for. */
const usualPage = 10

/** `deposit/depositions`: deposits as Zenodo's clients list, make, change and publish them. */
export async function depositionRoutes(app: FastifyInstance, zenodo: Zenodo): Promise<void> {
  const { services } = zenodo
  const { parts, deposits } = services
  readBodiesAsJson(app)
  serve(app, services, bases, {
    GET: {
      needs: 'token',
      handler: async (request, reply) => {
        const asked = parseSearchRequest(
          toSearch(parameters(request), usualPage),
          parts.settings.searchOptions,
        )
        const { batches, total, bytes } = await searchDeposits(parts, request.caller, asked)
        await waitForList(request, reply, { bytes })
        const found: object[] = []
        for await (const batch of batches) found.push(...(await toDepositions(zenodo, batch)))
        const pages = pagesAround(request, addressOf(zenodo, 'deposit', 'depositions'), {
          ...asked,
          total,
        })
        await tellLimits(parts, request, reply)
        const links = Object.entries(pages).map(([rel, url]) => `<${url}>; rel="${rel}"`)
        return reply.header('link', links.join(', ')).send(found)
      },
    },
    POST: {
      needs: 'create',
      handler: async (request, reply) => {
        const now = parts.clock.now()
        const document = documentOf(zenodo, request, { metadata: {}, created: now, updated: now })
        const { caller } = request
        const made = await once(services, request, reply, (beside) =>
          deposits.create(caller, document ?? {}, beside),
        )
        return send(zenodo, reply.code(201), await reserveDoi(zenodo, caller, made))
      },
    },
  })
  serve(
    app,
    services,
    bases.map((base) => `${base}/{id}`),
    {
      GET: {
        needs: 'read',
        cost: 'work',
        handler: (request, reply) => send(zenodo, reply, guardedDeposit(request)),
      },
      PUT: {
        needs: 'update',
        cost: 'work',
        handler: async (request, reply) => {
          const found = guardedDeposit(request)
          const changed = await replaceDocument(services, request, found, (deposit) =>
            documentOf(zenodo, request, deposit),
          )
          return send(zenodo, reply, changed)
        },
      },
      DELETE: {
        needs: 'delete',
        handler: async (request, reply) => {
          const { caller, id, expected } = askedOf(request, guardedDeposit(request))
          await deposits.remove(caller, id, true, expected)
          return reply.code(204).send()
        },
      },
    },
  )
  for (const name of ['publish', 'edit', 'discard', 'newversion'] as const) {
    serve(
      app,
      services,
      bases.map((base) => `${base}/{id}/actions/${name}`),
      {
        POST: {
          needs: 'act',
          cost: 'work',
          handler: async (request, reply) => {
            const deposit = guardedDeposit(request)
            const isAnswered = await services.attempts.isKnown(request)
            if (name === 'publish' && !isAnswered) await requirePublishable(zenodo, deposit)
            const asked = askedOf(request, deposit)
            const changed = await once(services, request, reply, (beside) =>
              runAction(parts, {
                ...asked,
                name,
                beside: name === 'publish' ? withOneDoi(deposit, beside) : beside,
              }),
            )
            return send(zenodo, reply.code(name === 'publish' ? 202 : 201), changed)
          },
        },
      },
    )
  }
  serve(
    app,
    services,
    bases.map((base) => `${base}/{id}/actions/registerconceptdoi`),
    {
      POST: {
        needs: 'act',
        cost: 'work',
        handler: async (request, reply) => {
          const deposit = guardedDeposit(request)
          // Every concept has a DOI here, from its first version on.
          if (!deposit.record)
            throw problem('permission_denied', { message: 'It was never published.' })
          return send(zenodo, reply.code(201), deposit)
        },
      },
    },
  )
}

/** Zenodo's depositions have their DOI from the start; those who may not reserve get it at the end. */
async function reserveDoi(
  { services: { parts } }: Zenodo,
  caller: Caller,
  made: Deposit,
): Promise<Deposit> {
  const mayAct = typeof caller !== 'string' && caller.scopes.has('deposit:actions')
  const makesDois = parts.providers.some(({ scheme }) => scheme === 'doi')
  const isOpen = made.status === 'draft' && !made.record
  const isNamed = doiOf(made.metadata['doi']) !== undefined
  return mayAct && makesDois && isOpen && !isNamed
    ? runAction(parts, { caller, id: made.id, name: 'reserve' })
    : made
}

/** A DOI that was written into the metadata takes the place of the one that nobody asked for. */
function withOneDoi({ id, record, metadata }: Deposit, beside: Beside): Beside {
  const named = doiText(metadata['doi'])
  if (record || named === undefined) return beside
  return {
    ...beside,
    before: async (unit) => {
      await beside.before?.(unit)
      const known = (await unit.identifiers.ofDeposits([id])).get(id) ?? []
      if (known.every(({ value }) => value.toLowerCase() !== named))
        await unit.identifiers.giveUp(id, 'doi')
    },
  }
}

async function send(zenodo: Zenodo, reply: FastifyReply, deposit: Deposit): Promise<FastifyReply> {
  const body = await toDeposition(zenodo, deposit)
  const { self } = (body as { readonly links: { readonly self: string } }).links
  reply.header('deposit-revision', String(deposit.revision))
  if (reply.statusCode !== 200) reply.header('location', self)
  return reply.send(body)
}

/**
 * The document that a request makes of the one there is; undefined where it has no metadata.
 *
 * @throws {DepositError} invalid_document: the metadata have faults
 */
function documentOf(
  { services }: Zenodo,
  request: FastifyRequest,
  before: Described & Pick<Partial<Deposit>, 'record'>,
): JsonObject | undefined {
  const sent = sentMetadata(request)
  if (sent === undefined) return undefined
  const faults = findFaults(sent)
  if (faults.length > 0) throw invalid(faults)
  const metadata = before.record ? withSameDoi(sent, before) : sent
  return toDocument(metadata, before, services.parts.clock.now().slice(0, 10))
}

/**
 * What was published keeps its DOI.
 *
 * @throws {DepositError} invalid_document: another one is sent
 */
function withSameDoi(sent: JsonObject, { metadata: { doi } }: Described): JsonObject {
  const { doi: wanted, ...others } = sent
  const isOther = wanted !== undefined && wanted !== null && wanted !== ''
  if (isOther && doiText(wanted) !== doiText(doi)) {
    const message = 'The DOI of a published deposition cannot be changed.'
    throw invalid([{ field: 'metadata.doi', message }])
  }
  return doi === undefined ? others : { ...others, doi }
}

function doiText(doi: unknown): string | undefined {
  return doiOf(doi)?.toLowerCase()
}

/** @throws {DepositError} invalid_document: Zenodo would not publish it, or not with these terms */
async function requirePublishable({ services }: Zenodo, deposit: Deposit): Promise<void> {
  // Its state is the first reason to refuse.
  if (deposit.status === 'published') return
  const { parts, files } = services
  const none = { field: '', message: 'Minimum one file must be provided.', code: 10 }
  const listed = await files.list(deposit)
  const today = parts.clock.now().slice(0, 10)
  const faults = [
    ...(listed.length > 0 ? [] : [none]),
    ...((await hasFilesOfPredecessor(services, deposit, listed)) ? [sameFiles] : []),
    ...findPublishFaults(toMetadata(deposit, today)),
  ]
  if (faults.length > 0) throw invalid(faults)
}

const sameFiles = {
  field: '',
  message: "New version's files must differ from all previous versions.",
}

/** Whether a new version has the files of the version before it, and no other. */
async function hasFilesOfPredecessor(
  { parts, records }: Zenodo['services'],
  { predecessor, record }: Deposit,
  listed: readonly DepositFile[],
): Promise<boolean> {
  if (predecessor === undefined || record || listed.length === 0) return false
  const before = await parts.database.read.records.find(predecessor)
  if (before === undefined) return false
  const files = (await records.files(before, 'system')) ?? []
  return contentOf(listed) === contentOf(files)
}

function contentOf(listed: readonly DepositFile[]): string {
  return listed
    .map(({ key, latest }) => JSON.stringify([key, latest.blob.sha256]))
    .sort()
    .join('\n')
}
