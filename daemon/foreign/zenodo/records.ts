import type { FastifyInstance } from 'fastify'
import {
  depositSearch,
  filesAreOpen,
  parseSearchRequest,
  problem,
  requestedKey,
  searchRecords,
} from '../../../core/index.ts'
import { waitForRecord } from '../../api/large-documents.ts'
import { filesOfRecord, requireFiles } from '../../api/objects.ts'
import { parameters } from '../../api/route.ts'
import { waitForList } from '../../http/large-work.ts'
import { sendFile } from '../../http/send-file.ts'
import { addressOf, prefix, toObjectBody, toRecord, type Zenodo } from './answers.ts'
import { findRecord, requireRecord } from '../numbers.ts'
import { pagesAround, toSearch } from '../paging.ts'
import { sumsOf } from '../shown.ts'
import { readBodiesAsJson, serve } from '../serve.ts'

/** Records of a page, unless another number is asked for. */
const usualPage = 25

/** `records`: what was published, for everybody. */
export async function recordRoutes(
  app: FastifyInstance,
  zenodo: Zenodo,
  isBesideOurs: boolean,
): Promise<void> {
  const { services } = zenodo
  readBodiesAsJson(app)
  // Identifiers of our records have a hyphen: digits alone are Zenodo's.
  const plain = isBesideOurs ? ['/api/records/:id(^\\d+$)'] : []
  serve(app, services, [`${prefix}/records/{id}`, ...plain], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const found = await findRecord(services, request)
        if ('newest' in found) return reply.redirect(addressOf(zenodo, 'records', found.newest))
        const files = await filesOfRecord(services, request, found.record)
        await waitForRecord(services, request, reply, found.record)
        return reply.send(await toRecord(zenodo, found.record, files))
      },
    },
  })
  serve(app, services, [`${prefix}/records`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        if (!services.isListed && request.caller === 'anonymous') throw problem('unauthenticated')
        const given = parameters(request)
        const asked = parseSearchRequest(toSearch(given, usualPage), depositSearch)
        const isNewest = !['1', 'true'].includes(String(given['all_versions']))
        const { batches, total, bytes } = await searchRecords(services.parts, asked, { isNewest })
        await waitForList(request, reply, { bytes })
        const hits: object[] = []
        for await (const batch of batches)
          for (const record of batch)
            hits.push(
              await toRecord(
                zenodo,
                record,
                await filesOfRecord(services, request, record),
                'listed',
              ),
            )
        const links = pagesAround(request, addressOf(zenodo, 'records'), { ...asked, total })
        return reply.send({ hits: { hits, total }, aggregations: {}, links })
      },
    },
  })
  serve(app, services, [`${prefix}/records/{id}/versions`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const record = await requireRecord(services, request)
        const asked = parseSearchRequest(toSearch(parameters(request), usualPage), depositSearch)
        const { batches, total, bytes } = await services.records.versions(record, asked)
        await waitForList(request, reply, { bytes })
        const hits: object[] = []
        for await (const batch of batches)
          for (const version of batch)
            hits.push(
              await toRecord(
                zenodo,
                version,
                await filesOfRecord(services, request, version),
                'listed',
              ),
            )
        return { hits: { hits, total } }
      },
    },
  })
  serve(app, services, [`${prefix}/records/{id}/files`], {
    GET: {
      needs: 'nothing',
      handler: async (request) => {
        const record = await requireRecord(services, request)
        const files = await requireFiles(services, request, record)
        const sums = await sumsOf(zenodo, files)
        const { id } = request.params as { readonly id: string }
        return {
          enabled: true,
          links: { self: addressOf(zenodo, 'records', id, 'files') },
          entries: files.map((file, index) => {
            const body = toObjectBody(
              zenodo,
              { ...file, bucket: record.bucket },
              file.latest,
              sums[index],
            )
            const self = addressOf(zenodo, 'records', id, 'files', file.key)
            return {
              ...body,
              file_id: file.id,
              status: 'completed',
              links: { self, content: `${self}/content` },
            }
          }),
        }
      },
    },
  })
  serve(app, services, [`${prefix}/records/{id}/files/{key}`], {
    GET: {
      needs: 'nothing',
      handler: async (request, reply) => {
        const record = await requireRecord(services, request)
        const files = await requireFiles(services, request, record)
        const { '*': path } = request.params as { readonly '*': string }
        const key = requestedKey(path.replace(/\/content$/, ''))
        const file = files.find((each) => each.key === key)
        if (!file || !path.endsWith('/content')) throw problem('file_not_found')
        const { revision } = record
        const isPublic =
          request.caller === 'anonymous' && filesAreOpen(record, services.parts.clock.now())
        const found = { deposit: { revision }, file, version: file.latest, isPublic }
        return sendFile(request, reply, found, services.files)
      },
    },
  })
}
