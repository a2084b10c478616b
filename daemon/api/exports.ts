import { Type, type TSchema } from 'typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { parseVersions } from '../../core/index.ts'
import type { ExportFormat, PublishedRecord, Source } from '../../core/index.ts'
import { sendTagged } from '../http/revision.ts'
import { requireFormat, sendExport } from '../discovery/send-export.ts'
import { addVary, setPublic, sharedDocument } from '../http/sharing.ts'
import { waitForRecord } from './large-documents.ts'
import { anyObject, conditionalRead, json, unchanged } from './openapi/parameters.ts'
import {
  guardedDeposit,
  parameters,
  pidValue,
  resource,
  revision,
  revisionOf,
  type Route,
} from './route.ts'
import type { Services } from './services.ts'

const config = { shared: sharedDocument }

const exportList = Type.Array(
  Type.Object({
    name: Type.String({ description: 'Last part of its address.' }),
    title: Type.String(),
    type: Type.String({ description: 'Media type.' }),
    filename: Type.String(),
    href: Type.String({ format: 'uri' }),
  }),
  { $id: 'Exports' },
)

const query = {
  style: Type.Optional(
    Type.String({
      description: 'Of a `citation`: apa, chicago, harvard, ieee, vancouver, datacite.',
    }),
  ),
}

const ofAll = {
  versions: Type.Optional(
    Type.Literal('all', {
      description: 'Of all versions together: under the DOI of the concept, and without a version.',
    }),
  ),
}

/**
 * The bodies of a record by media type, for the API document.
 *
 * @param ours that of our own JSON
 */
export function formatsOf(
  formats: readonly ExportFormat[],
  ours: TSchema,
): Readonly<Record<string, TSchema>> {
  const types = formats.flatMap(({ mediaTypes }) => mediaTypes)
  const bodies = types.map((type) => [type, isJson(type) ? anyObject : Type.String()] as const)
  return { ...Object.fromEntries(bodies), 'application/json': ours }
}

function isJson(type: string): boolean {
  return /^[^;]*[/+]json\b/.test(type)
}

/** `/records/{pid_value}/export/{name}`: records in other formats, under addresses of their own. */
export function recordExports(services: Services): FastifyPluginAsync {
  const { records, routes, describer } = services
  return async (app) => {
    resource(app, services, routes.recordExports, {
      GET: {
        config,
        id: 'listExports',
        tag: 'records',
        summary: 'List the formats that a record can be had in',
        needs: 'nothing',
        headers: conditionalRead,
        answers: { 200: { description: 'The formats.', content: json(exportList) }, ...unchanged },
        answerHeaders: ['ETag'],
        handler: async (request, reply) => {
          const record = await records.get(pidValue(request))
          await waitForRecord(services, request, reply, record)
          setPublic(request, reply)
          return sendTagged(
            reply,
            toList(await describer.recordSource(record, { metadata: {}, files: [] })),
          )
        },
      },
    })
    resource(app, services, routes.recordExport, { GET: recordExport(services, 'exportRecord') })
  }
}

/** A record, or the revision of it that `?revision=` names. @throws {DepositError} record_not_found */
export function askedRecord(
  records: Services['records'],
  request: FastifyRequest,
): Promise<PublishedRecord> {
  const [value, number] = [pidValue(request), revisionOf(request)]
  return number === undefined ? records.get(value, request.caller) : records.revision(value, number)
}

/** Sends a record in the format that the address names. @param id of the operation */
export function recordExport(services: Services, id: string): Route {
  const { records, describer } = services
  return {
    config,
    id,
    tag: 'records',
    summary: 'Read a record in another format',
    details: 'For citations, catalogues and search engines; `GET …/export` lists the formats.',
    needs: 'nothing',
    headers: conditionalRead,
    query: { revision, ...query, ...ofAll },
    answers: {
      200: { description: 'The record.', content: formatsOf(describer.formats, anyObject) },
      ...unchanged,
    },
    answerHeaders: ['ETag', 'Link'],
    handler: async (request, reply) => {
      const choice = requireFormat(describer.formats, request)
      const record = await askedRecord(records, request)
      await waitForRecord(services, request, reply, record)
      const { write, conceptSource, recordSource } = describer
      const source = parseVersions(parameters(request)).isNewest ? recordSource : conceptSource
      return sendExport(request, reply, await source(record), { write, choice })
    },
  }
}

/** `/deposits/{pid_value}/export/{name}`: the same of a draft, as its record would be. */
export function depositExports(services: Services): FastifyPluginAsync {
  const { routes, describer } = services
  return async (app) => {
    resource(app, services, routes.depositExports, {
      GET: {
        id: 'listDepositExports',
        tag: 'deposits',
        summary: 'List the formats that a deposit can be had in',
        needs: 'read',
        answers: { 200: { description: 'The formats.', content: json(exportList) } },
        cost: 'work',
        handler: async (request, reply) =>
          reply.send(toList(await describer.draftSource(guardedDeposit(request)))),
      },
    })
    resource(app, services, routes.depositExport, {
      GET: {
        id: 'exportDeposit',
        tag: 'deposits',
        summary: 'Read a deposit in another format, as its record would be',
        needs: 'read',
        headers: conditionalRead,
        query,
        answers: {
          200: { description: 'The deposit.', content: formatsOf(describer.formats, anyObject) },
          ...unchanged,
        },
        answerHeaders: ['ETag', 'Link'],
        cost: 'work',
        describesFiles: true,
        handler: async (request, reply) => {
          const choice = requireFormat(describer.formats, request)
          const source = await describer.draftSource(guardedDeposit(request))
          addVary(reply, 'authorization')
          return sendExport(request, reply, source, { write: describer.write, choice })
        },
      },
    })
  }
}

function toList({ exports }: Source) {
  return exports.map(({ name, title, mediaType, filename, url }) => ({
    name,
    title,
    type: mediaType,
    filename,
    href: url,
  }))
}
