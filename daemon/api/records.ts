import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { defaultMaxResultWindow, defaultRevisionsSize } from '../../core/contract/defaults.ts'
import { recordBody, searchBody } from '../../core/contract/schemas.ts'
import {
  depositSearch,
  parseInTurn,
  parsePaging,
  parseSearchRequest,
  RecordNotFound,
  searchRecords,
  type Json,
  type PublishedRecord,
} from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { toDocument } from '../http/document-body.ts'
import {
  acceptPatch,
  negotiate,
  patchForm,
  patchTypes,
  requireMediaType,
} from '../http/media-types.ts'
import { resource } from '../http/route.ts'
import { isUnchanged, setValidators } from '../http/revision.ts'
import { addVary, setPublic, sharedDocument } from '../http/sharing.ts'
import { jsonAlone } from '../config/serializers.ts'
import { acceptable } from '../http/by-media-type.ts'
import { sendLinkset } from '../discovery/linkset.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import { toRecordBody, toRecordItem } from './serializers/deposit-json.ts'
import { linksetType } from '../config/links.ts'
import { sendList } from './serializers/list.ts'
import { pageLinks, toSearchFrame } from './serializers/search-json.ts'
import { parameters } from './deposit-list.ts'
import { correction, pidValue as value, requireToken, type Guards } from './guards.ts'
import type { Services } from './services.ts'

const accept = acceptable(jsonAlone)
const config = { shared: sharedDocument }
const linksetAlone = new Map([[linksetType, 'json' as const]])

/** `/records/`: public reading of what was published, and corrections by an administrator. */
export function recordRoutes(services: Services): FastifyPluginAsync {
  const { parts, records, links, routes } = services
  return async (app) => {
    resource(app, toPattern(routes.recordList), {
      GET: {
        config,
        onRequest: [accept],
        schema: { response: { 200: searchBody } },
        handler: async (request, reply) => {
          const asked = parseSearchRequest(parameters(request), depositSearch)
          const found = await searchRecords(parts, asked)
          const place = { ...asked, ...found, window: depositSearch.maxResultWindow }
          const pages = pageLinks(links.recordList(), request.url, place)
          reply.header('link', pages.header)
          setPublic(request, reply)
          const frame = toSearchFrame(found, pages.links)
          const batches = toItems(services, found.batches)
          return sendList(reply, jsonAlone, { frame, batches, bytes: found.bytes })
        },
      },
    })
    resource(app, toPattern(routes.recordItem), {
      GET: {
        config,
        schema: { response: { 200: recordBody } },
        handler: async (request, reply) => {
          const type = negotiate(request.headers.accept, ['application/json', linksetType])
          const record = await records.get(value(request))
          addVary(reply, 'accept')
          if (type === linksetType) return sendLinkset(services, request, reply, record)
          return sendRecord(services, request, reply, record)
        },
      },
      PUT: {
        schema: { response: { 200: recordBody } },
        onRequest: guardCorrection(services, 'application/json'),
        handler: async (request, reply) => {
          const record = await records.replace(correction(request), toDocument(request.body))
          return sendRecord(services, request, reply, record)
        },
      },
      PATCH: {
        config: { acceptPatch },
        schema: { response: { 200: recordBody } },
        onRequest: guardCorrection(services, ...patchTypes),
        handler: async (request, reply) => {
          const patch = request.body as Json
          const record = await records.patch(correction(request), patch, patchForm(request))
          return sendRecord(services, request, reply, record)
        },
      },
    })
    resource(app, toPattern(routes.recordLinkset), {
      GET: {
        config,
        onRequest: [acceptable(linksetAlone)],
        handler: async (request, reply) =>
          sendLinkset(services, request, reply, await records.get(value(request))),
      },
    })
    resource(app, toPattern(routes.revisionList), {
      GET: {
        config,
        onRequest: [accept],
        handler: async (request, reply) => {
          setPublic(request, reply)
          const asked = parsePaging(
            parameters(request),
            defaultMaxResultWindow,
            defaultRevisionsSize,
          )
          const found = await records.revisions(value(request), asked)
          const url = links.revisionList(value(request))
          const place = { ...asked, ...found, window: defaultMaxResultWindow }
          reply.header('link', pageLinks(url, request.url, place).header)
          const batches = toItems(services, found.batches)
          return sendList(reply, jsonAlone, { frame: [], batches, bytes: found.bytes })
        },
      },
    })
    resource(app, toPattern(routes.revisionItem), {
      GET: {
        config,
        onRequest: [accept],
        schema: { response: { 200: recordBody } },
        handler: async (request, reply) => {
          const record = await records.revision(value(request), revisionNumber(request))
          return sendRecord(services, request, reply, record)
        },
      },
    })
  }
}

async function* toItems(
  { links }: Services,
  batches: AsyncIterable<readonly PublishedRecord[]>,
): AsyncGenerator<readonly object[]> {
  for await (const records of batches) yield records.map((record) => toRecordItem(record, links))
}

async function sendRecord(
  { records, links }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<FastifyReply> {
  setValidators(reply, record)
  const posts = [
    { rel: 'self', href: links.recordItem(record.value) },
    { rel: 'describes', href: links.recordPage(record.value), type: 'text/html' },
    { rel: 'linkset', href: links.linkset(record.value), type: linksetType },
  ]
  reply.header('link', toLinkHeader(posts))
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (reads) setPublic(request, reply)
  if (reads && isUnchanged(request, record)) return reply.code(304).send()
  const successor = await records.successor(record)
  await parseInTurn(record)
  return reply.send(toRecordBody(record, links, successor))
}

function guardCorrection({ records }: Services, ...mediaTypes: readonly string[]): Guards {
  return [
    requireToken,
    requireMediaType(...mediaTypes),
    async (request: FastifyRequest) => {
      await records.authorize(correction(request))
    },
    accept,
  ]
}

/** @throws {RecordNotFound} the path names no number */
function revisionNumber({ params }: FastifyRequest): number {
  const { revision } = params as { readonly revision: string }
  if (!/^\d{1,9}$/.test(revision)) throw new RecordNotFound()
  return Number(revision)
}
