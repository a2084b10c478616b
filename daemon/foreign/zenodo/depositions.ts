import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  isProblem,
  parseSearchRequest,
  problem,
  runAction,
  searchDeposits,
  type Caller,
  type Deposit,
  type JsonObject,
} from '../../../core/index.ts'
import { guardedDeposit, parameters } from '../../api/route.ts'
import { addressOf, prefix, toDeposition, toDepositions, type Zenodo } from './answers.ts'
import { findFaults, findPublishFaults } from './check-metadata.ts'
import { toDocument, toMetadata, type Described } from './metadata.ts'
import { pagesAround, toSearch } from '../paging.ts'
import { readBodiesAsJson, serve } from '../serve.ts'
import { tellLimits } from '../limits.ts'
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
        const { batches, total } = await searchDeposits(parts, request.caller, asked)
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
        const made = await deposits.create(caller, document ?? {})
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
        handler: (request, reply) => send(zenodo, reply, guardedDeposit(request)),
      },
      PUT: {
        needs: 'update',
        handler: async (request, reply) => {
          return send(zenodo, reply, await replace(zenodo, request, guardedDeposit(request)))
        },
      },
      DELETE: {
        needs: 'delete',
        handler: async (request, reply) => {
          await deposits.remove(request.caller, guardedDeposit(request).id, true)
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
          handler: async (request, reply) => {
            const deposit = guardedDeposit(request)
            if (name === 'publish') await requirePublishable(zenodo, deposit)
            const { caller } = request
            const changed = await runAction(parts, { caller, id: deposit.id, name })
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

/** Zenodo's depositions have their DOI from the start; whoever may not reserve gets it at the end. */
async function reserveDoi(
  { services: { parts } }: Zenodo,
  caller: Caller,
  made: Deposit,
): Promise<Deposit> {
  const mayAct = typeof caller !== 'string' && caller.scopes.has('deposit:actions')
  const makesDois = parts.providers.some(({ scheme }) => scheme === 'doi')
  return mayAct && makesDois ? runAction(parts, { caller, id: made.id, name: 'reserve' }) : made
}

async function send(zenodo: Zenodo, reply: FastifyReply, deposit: Deposit): Promise<FastifyReply> {
  const body = await toDeposition(zenodo, deposit)
  const { self } = (body as { readonly links: { readonly self: string } }).links
  reply.header('deposit-revision', String(deposit.revision))
  if (reply.statusCode !== 200) reply.header('location', self)
  return reply.send(body)
}

/**
 * Replaces the metadata. If a file arrives at the same time, which is a revision too, the document is
 * made again from the deposit as it is then.
 */
async function replace(zenodo: Zenodo, request: FastifyRequest, found: Deposit): Promise<Deposit> {
  const { deposits } = zenodo.services
  const { caller } = request
  for (let deposit = found, tries = 1; ; tries += 1) {
    const document = documentOf(zenodo, request, deposit)
    if (document === undefined) return deposit
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
 * The document that a request makes of the one there is; undefined where it has no metadata.
 *
 * @throws {DepositError} invalid_document: the metadata have faults
 */
function documentOf(
  { services }: Zenodo,
  request: FastifyRequest,
  before: Described,
): JsonObject | undefined {
  const metadata = sentMetadata(request)
  if (metadata === undefined) return undefined
  const faults = findFaults(metadata)
  if (faults.length > 0) throw invalid(faults)
  return toDocument(metadata, before, services.parts.clock.now().slice(0, 10))
}

/** @throws {DepositError} invalid_document: Zenodo would not publish it, or not with these terms */
async function requirePublishable({ services }: Zenodo, deposit: Deposit): Promise<void> {
  // Its state is the first reason to refuse.
  if (deposit.status === 'published') return
  const { parts, files } = services
  const none = { field: '', message: 'Minimum one file must be provided.', code: 10 }
  const hasFiles = (await files.list(deposit)).length > 0
  const today = parts.clock.now().slice(0, 10)
  const faults = [...(hasFiles ? [] : [none]), ...findPublishFaults(toMetadata(deposit, today))]
  if (faults.length > 0) throw invalid(faults)
}
