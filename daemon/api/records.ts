import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { defaultMaxResultWindow, defaultRevisionsSize } from '../../core/contract/defaults.ts'
import { metadataDocument, recordBody, searchBody } from '../../core/contract/schemas.ts'
import {
  canonicalJson,
  depositSearch,
  linksetType,
  parsePaging,
  parseSearchRequest,
  parseVersions,
  problem,
  searchRecords,
  type Correction,
  type Json,
  type PublishedRecord,
} from '../../core/index.ts'
import { toDocument } from '../http/bodies.ts'
import { acceptPatch, negotiate, patchForm } from '../http/negotiation.ts'
import { addVary, setPublic, sharedDocument } from '../http/sharing.ts'
import { jsonAlone } from '../config/serializers.ts'
import { negotiated, offersOf, sendExport } from '../discovery/send-export.ts'
import { toLinkHeader } from '../discovery/signposting.ts'
import { sendRecordBody, toRecordItem } from './deposit-json.ts'
import { sendList, pageLinks, toSearchFrame } from './send-list.ts'
import { patchContent, patches } from './deposit-item.ts'
import {
  conditionalChange,
  conditionalRead,
  json,
  paging,
  repeatable,
  searchQuery,
  unchanged,
  validators,
} from './openapi/parameters.ts'
import { askedRecord, formatsOf } from './exports.ts'
import { waitForRecord } from './large-documents.ts'
import { done, resource, correction, parameters, pidValue as value, revision } from './route.ts'
import type { Services } from './services.ts'

const config = { shared: sharedDocument }

const versions = Type.Optional(
  Type.Literal('all', { description: 'Finds every version, and not the newest alone.' }),
)

const answerHeaders = [...validators, 'Link'] as const

const sizeOfPage = Type.Optional(
  Type.Integer({
    minimum: 1,
    default: defaultRevisionsSize,
    description: 'A page of more than 8 MiB ends early; follow `next` to its rest.',
  }),
)

/** `/records/`: public reading of what was published, and corrections by an administrator. */
export function recordRoutes(services: Services): FastifyPluginAsync {
  const { parts, records, links, routes, describer } = services
  const offers = offersOf(negotiated(describer.formats))
  const correct = async (
    request: FastifyRequest,
    reply: FastifyReply,
    content: string,
    make: (after: NonNullable<Correction['after']>) => Promise<PublishedRecord>,
  ): Promise<FastifyReply> => {
    using attempt = await services.attempts.begin(request)
    // The revision says all: it does not change.
    const { body } = await attempt.outcome(reply, {
      content,
      run: (answered) =>
        make((unit, { revision: made }) =>
          answered(unit, () => ({ status: 200, headers: {}, body: { revision: made } })),
        ),
    })
    const { revision: made } = body as Pick<PublishedRecord, 'revision'>
    const record = await records.revision(value(request), made)
    return await sendRecord(services, request, reply, record)
  }
  return async (app) => {
    resource(app, services, routes.recordList, {
      GET: {
        config,
        id: 'searchRecords',
        tag: 'records',
        summary: 'Search what was published',
        needs: 'nothing',
        takesRepeated: true,
        query: { ...searchQuery(parts.settings.searchOptions), versions },
        answers: { 200: done(searchBody) },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        details: 'Without a token only where the service lists its records for everybody.',
        handler: async (request, reply) => {
          if (!services.isListed && request.caller === 'anonymous') throw problem('unauthenticated')
          const asked = parseSearchRequest(parameters(request), depositSearch)
          const found = await searchRecords(parts, asked, parseVersions(parameters(request)))
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
    resource(app, services, routes.recordItem, {
      GET: {
        config,
        id: 'readRecord',
        tag: 'records',
        summary: 'Read a record',
        needs: 'nothing',
        headers: conditionalRead,
        query: { revision },
        details: 'In any of its formats, by `Accept`.',
        answers: {
          200: {
            description: 'The record.',
            content: formatsOf(negotiated(describer.formats), recordBody),
          },
          ...unchanged,
        },
        answerHeaders,
        handler: async (request, reply) => {
          const type = negotiate(request.headers.accept, [...offers.keys()])
          const record = await askedRecord(records, request)
          addVary(reply, 'accept')
          const choice = offers.get(type)
          if (!choice || type === 'application/json')
            return sendRecord(services, request, reply, record)
          await waitForRecord(services, request, reply, record)
          return sendExport(request, reply, await describer.recordSource(record), {
            write: describer.write,
            choice,
          })
        },
      },
      PUT: {
        id: 'replaceRecord',
        tag: 'records',
        summary: 'Correct a record, as an administrator: makes a new revision',
        needs: 'correct',
        headers: { ...conditionalChange, ...repeatable },
        body: json(metadataDocument),
        answers: { 200: done(recordBody) },
        answerHeaders,
        offers: jsonAlone,
        handler: async (request, reply) => {
          const document = toDocument(request.body)
          return correct(request, reply, canonicalJson(document), (after) =>
            records.replace({ ...correction(request), after }, document),
          )
        },
      },
      PATCH: {
        config: { acceptPatch },
        id: 'patchRecord',
        tag: 'records',
        summary: 'Correct a record by a JSON Patch, as an administrator',
        needs: 'correct',
        headers: { ...conditionalChange, ...repeatable },
        body: patches,
        answers: { 200: done(recordBody) },
        answerHeaders,
        offers: jsonAlone,
        handler: async (request, reply) => {
          const patch = request.body as Json
          const form = patchForm(request)
          return correct(request, reply, patchContent(patch, form), (after) =>
            records.patch({ ...correction(request), after }, patch, form),
          )
        },
      },
    })
    resource(app, services, routes.versionList, {
      GET: {
        config,
        id: 'listVersions',
        tag: 'records',
        summary: 'List the versions of a record, newest first; `Link` leads to the next page',
        needs: 'nothing',
        query: { ...paging, size: sizeOfPage },
        answers: { 200: { description: 'The versions.', content: json(Type.Array(recordBody)) } },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        handler: async (request, reply) => {
          const record = await records.get(value(request), request.caller)
          const asked = askedPage(request)
          const found = await records.versions(record, asked)
          return sendPage(request, reply, { url: links.versionList(record.value), asked, found })
        },
      },
    })
    resource(app, services, routes.revisionList, {
      GET: {
        config,
        id: 'listRevisions',
        tag: 'records',
        summary: 'List the revisions of a record, oldest first; `Link` leads to the next page',
        needs: 'nothing',
        query: { ...paging, size: sizeOfPage },
        answers: { 200: { description: 'The revisions.', content: json(Type.Array(recordBody)) } },
        answerHeaders: ['Link'],
        offers: jsonAlone,
        handler: async (request, reply) => {
          const asked = askedPage(request)
          const found = await records.revisions(value(request), asked)
          return sendPage(request, reply, { url: links.revisionList(value(request)), asked, found })
        },
      },
    })
    resource(app, services, routes.revisionItem, {
      GET: {
        config,
        id: 'readRevision',
        tag: 'records',
        summary: 'Read a revision of a record',
        needs: 'nothing',
        headers: conditionalRead,
        answers: { 200: done(recordBody), ...unchanged },
        answerHeaders,
        offers: jsonAlone,
        handler: async (request, reply) => {
          const record = await records.revision(value(request), revisionNumber(request))
          return sendRecord(services, request, reply, record)
        },
      },
    })
  }

  interface PageOfList {
    readonly url: string
    readonly asked: ReturnType<typeof askedPage>
    readonly found: Awaited<ReturnType<typeof records.versions>>
  }

  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    { url, asked, found }: PageOfList,
  ): Promise<FastifyReply> {
    setPublic(request, reply)
    const place = { ...asked, ...found, window: defaultMaxResultWindow }
    reply.header('link', pageLinks(url, request.url, place).header)
    const batches = toItems(services, found.batches)
    return sendList(reply, jsonAlone, { frame: [], batches, bytes: found.bytes })
  }
}

function askedPage(request: FastifyRequest) {
  return parsePaging(parameters(request), defaultMaxResultWindow, defaultRevisionsSize)
}

async function* toItems(
  { links, parts }: Services,
  batches: AsyncIterable<readonly PublishedRecord[]>,
): AsyncGenerator<readonly object[]> {
  for await (const records of batches) {
    const values = records.flatMap(({ value: name, concept }) => [name, concept])
    const provided = await parts.database.read.identifiers.ofSubjects(values)
    const of = (name: string) => provided.get(name) ?? []
    yield records.map((record) =>
      toRecordItem(record, links, { identifiers: [...of(record.value), ...of(record.concept)] }),
    )
  }
}

/** Sends a record in our own JSON. */
async function sendRecord(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<FastifyReply> {
  const { links } = services
  const posts = [
    { rel: 'self', href: links.recordItem(record.value) },
    { rel: 'describes', href: links.recordPage(record.value), type: 'text/html' },
    { rel: 'linkset', href: links.recordExport(record.value, 'linkset'), type: linksetType },
  ]
  reply.header('link', toLinkHeader(posts))
  return sendRecordBody(services, request, reply, record)
}

/** @throws {DepositError} record_not_found: the path names no number */
function revisionNumber({ params }: FastifyRequest): number {
  const { revision } = params as { readonly revision: string }
  if (!/^\d{1,9}$/.test(revision)) throw problem('record_not_found')
  return Number(revision)
}
