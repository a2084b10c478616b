import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  depositSearch,
  filesAreOpen,
  parseSearchRequest,
  problem,
  requestedKey,
  searchDeposits,
  searchRecords,
  type PublishedRecord,
  type SearchParameters,
} from '../../../core/index.ts'
import { waitForRecord } from '../../api/large-documents.ts'
import { filesOfRecord, requireFiles } from '../../api/objects.ts'
import { parameters } from '../../api/route.ts'
import { waitForList } from '../../http/large-work.ts'
import { sendFile } from '../../http/send-file.ts'
import { findRecord, requireRecord } from '../numbers.ts'
import { tellLimits } from '../limits.ts'
import { pagesAround, toSearch } from '../paging.ts'
import { readBodiesAsJson, serve } from '../serve.ts'
import { addressOf, prefix, toDraft, toFileBodies, toRecord, type Rdm } from './answers.ts'
import { beginVersion, makeDraft } from './drafts.ts'
import { listing, partOf } from './files.ts'

/** Records of a page, unless another number is asked for. */
const usualPage = 25

const records = `${prefix}/records`

/** `records` and `user/records`: what was published, and what a user has. */
export async function recordRoutes(app: FastifyInstance, rdm: Rdm): Promise<void> {
  const { services } = rdm
  const { parts } = services
  readBodiesAsJson(app)
  serve(app, services, [`${prefix}/user/records`], {
    GET: {
      needs: 'token',
      handler: async (request, reply) => {
        await tellLimits(parts, request, reply)
        const asked = parseSearchRequest(searchOf(request), parts.settings.searchOptions)
        const { batches, total, bytes } = await searchDeposits(parts, request.caller, asked)
        await waitForList(request, reply, { bytes })
        const hits: object[] = []
        for await (const batch of batches) {
          for (const deposit of batch) {
            const { record } = deposit
            const isDraft = deposit.status === 'draft' || !record || deposit.withdrawal
            if (isDraft) hits.push(await toDraft(rdm, deposit, 'listed'))
            else {
              const found = await services.records.get(record.value)
              hits.push(await listed(rdm, request, found))
            }
          }
        }
        return toHits(rdm, request, ['user', 'records'], { ...asked, total }, hits)
      },
    },
  })
  serve(app, services, [records], {
    POST: makeDraft(rdm),
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        if (!services.isListed && request.caller === 'anonymous') throw problem('unauthenticated')
        const asked = parseSearchRequest(searchOf(request), depositSearch)
        const isNewest = !['1', 'true'].includes(String(parameters(request)['allversions']))
        const { batches, total, bytes } = await searchRecords(parts, asked, { isNewest })
        await waitForList(request, reply, { bytes })
        const hits: object[] = []
        for await (const batch of batches)
          for (const record of batch) hits.push(await listed(rdm, request, record))
        return toHits(rdm, request, ['records'], { ...asked, total }, hits)
      },
    },
  })
  serve(app, services, [`${records}/{id}`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const found = await findRecord(services, request)
        if ('newest' in found) return reply.redirect(addressOf(rdm, 'records', found.newest))
        await waitForRecord(services, request, reply, found.record)
        return reply.send(await recordOf(rdm, request, found.record))
      },
    },
  })
  serve(app, services, [`${records}/{id}/versions`], {
    POST: beginVersion(rdm),
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const record = await requireRecord(services, request)
        const asked = parseSearchRequest(searchOf(request), depositSearch)
        const { batches, total, bytes } = await services.records.versions(record, asked)
        await waitForList(request, reply, { bytes })
        const hits: object[] = []
        for await (const batch of batches)
          for (const version of batch) hits.push(await listed(rdm, request, version))
        const { id } = request.params as { readonly id: string }
        return toHits(rdm, request, ['records', id, 'versions'], { ...asked, total }, hits)
      },
    },
  })
  serve(app, services, [`${records}/{id}/versions/latest`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const found = await findRecord(services, request)
        if ('newest' in found) return reply.redirect(addressOf(rdm, 'records', found.newest))
        const newest = await parts.database.read.records.findNewest(found.record.concept)
        if (!newest) throw problem('record_not_found')
        await waitForRecord(services, request, reply, newest)
        return reply.send(await recordOf(rdm, request, newest))
      },
    },
  })
  serve(app, services, [`${records}/{id}/files`], {
    GET: {
      needs: 'nothing',
      handler: async (request) => {
        const record = await requireRecord(services, request)
        const { id } = request.params as { readonly id: string }
        const base = addressOf(rdm, 'records', id)
        const listed = await requireFiles(services, request, record)
        return listing(base, await toFileBodies(rdm, listed, base))
      },
    },
  })
  serve(app, services, [`${records}/{id}/files-archive`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const record = await requireRecord(services, request)
        return reply.redirect(services.links.recordPackage(record.value, 'zip'))
      },
    },
  })
  serve(app, services, [`${records}/{id}/files/{key}`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const record = await requireRecord(services, request)
        const { key, part } = partOf(request)
        const files = await requireFiles(services, request, record)
        const file = files.find((each) => each.key === requestedKey(key))
        if (!file || part === 'commit') throw problem('file_not_found')
        if (part === 'entry') {
          const { id } = request.params as { readonly id: string }
          const [body] = await toFileBodies(rdm, [file], addressOf(rdm, 'records', id))
          return reply.send(body)
        }
        const isPublic = request.caller === 'anonymous' && filesAreOpen(record, parts.clock.now())
        const found = {
          deposit: { revision: record.revision },
          file,
          version: file.latest,
          isPublic,
        }
        return sendFile(request, reply, found, services.files)
      },
    },
  })
}

async function recordOf(rdm: Rdm, request: FastifyRequest, record: PublishedRecord) {
  return toRecord(rdm, record, await filesOfRecord(rdm.services, request, record))
}

/** A record as one of a list. */
async function listed(rdm: Rdm, request: FastifyRequest, record: PublishedRecord) {
  return toRecord(rdm, record, await filesOfRecord(rdm.services, request, record), 'listed')
}

/** InvenioRDM's names of orders are not ours. */
const sorts: Readonly<Record<string, string>> = {
  newest: 'mostrecent',
  'updated-desc': 'mostrecent',
  oldest: '-mostrecent',
  'updated-asc': '-mostrecent',
  bestmatch: 'bestmatch',
}

function searchOf(request: FastifyRequest): SearchParameters {
  const { sort, ...given } = parameters(request)
  const order = sorts[String(sort)]
  return toSearch({ ...given, ...(order !== undefined && { sort: order }) }, usualPage)
}

function toHits(
  rdm: Rdm,
  request: FastifyRequest,
  path: readonly string[],
  place: Parameters<typeof pagesAround>[2],
  hits: readonly object[],
): object {
  const links = pagesAround(request, addressOf(rdm, ...path), place)
  return { hits: { hits, total: place.total }, aggregations: {}, sortBy: 'bestmatch', links }
}
