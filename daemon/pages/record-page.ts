import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { parseInTurn } from '../../core/index.ts'
import type { PublishedRecord } from '../../core/index.ts'
import { recordBody } from '../../core/contract/schemas.ts'
import { conditionalRead, unchanged, validators } from '../api/openapi/parameters.ts'
import { linksetBody } from '../api/records.ts'
import { resource } from '../api/route.ts'
import { negotiate } from '../http/media-types.ts'
import { isUnchanged, setValidators } from '../http/revision.ts'
import { addVary, setPublic, sharedDocument } from '../http/sharing.ts'
import { toRecordBody } from '../api/serializers/deposit-json.ts'
import { linksetType } from '../config/links.ts'
import { toScriptJson } from './templates.ts'
import type { PageParts } from './templates.ts'
import { sendLinkset } from '../discovery/linkset.ts'
import { inHead, toLinkHeader, toSignposts } from '../discovery/signposting.ts'
import type { Services } from '../api/services.ts'
import { languageName } from './text/text.ts'
import { toBibliography } from '../discovery/bibliography.ts'
import { findChanges } from './changes.ts'
import { toCitations } from '../discovery/citations.ts'
import { toFields } from './fields.ts'
import { toFiles } from '../discovery/files.ts'
import { toHighwire } from '../discovery/highwire.ts'
import { toJsonLd } from '../discovery/json-ld.ts'
import { mostCited, shorten } from '../discovery/shorten.ts'
import { findVersions } from './versions.ts'

/** `/records/{pid_value}` unless configured otherwise: the address a record is cited by, as a page or as its JSON. */
export function recordPage({ services, send }: PageParts): FastifyPluginAsync {
  const { records, links, routes } = services
  return async (app) => {
    resource(app, services, routes.recordPage, {
      GET: {
        config: { shared: sharedDocument },
        id: 'readRecordPage',
        tag: 'records',
        summary: 'Read a record at the address it is cited by',
        details: 'A page for people, JSON or all its links for programs, by `Accept`.',
        needs: 'nothing',
        headers: conditionalRead,
        answers: {
          200: {
            description: 'The record.',
            content: {
              'text/html': Type.String(),
              'application/json': recordBody,
              [linksetType]: linksetBody,
            },
          },
          ...unchanged,
        },
        answerHeaders: [...validators, 'Link', 'Cache-Control'],
        handler: async (request, reply) => {
          const { pid_value: value } = request.params as { readonly pid_value: string }
          const offers = ['text/html', 'application/json', linksetType]
          const type = negotiate(request.headers.accept, offers)
          const record = await records.get(value)
          addVary(reply, 'accept')
          if (type === 'text/html') return sendPage(record, reply)
          if (type === linksetType) return sendLinkset(services, request, reply, record)
          setValidators(reply, record)
          setPublic(request, reply)
          if (isUnchanged(request, record)) return reply.code(304).send()
          await parseInTurn(record)
          return reply.send(toRecordBody(record, links, await records.successor(record)))
        },
      },
    })
  }

  async function sendPage(record: PublishedRecord, reply: FastifyReply): Promise<FastifyReply> {
    await parseInTurn(record)
    const view = await toRecordView(services, record)
    reply.header('link', toLinkHeader(view.head.links))
    return send(reply, 'record', view)
  }
}

/** Everything the template of a record says, in the order of the page. */
async function toRecordView(services: Services, whole: PublishedRecord) {
  const { records, links, parts } = services
  const { metadata, isCut } = shorten(whole.metadata)
  const record = { ...whole, metadata }
  const url = links.record(record)['html'] ?? links.recordItem(record.value)
  const about = toBibliography(record, url)
  const cited = toBibliography(
    { ...whole, metadata: shorten(whole.metadata, mostCited).metadata },
    url,
  )
  const files = toFiles(await records.files(record), links)
  const versions = await findVersions(services, record)
  const changes = await findChanges(records, whole)
  const fields = toFields(record, parts.schemas)
  return {
    title: about.title,
    about: {
      ...about,
      languageName: languageName(about.language),
      hasCreators: about.creators.length > 0,
      hasKeywords: about.keywords.length > 0,
    },
    fields: fields.length > 0 ? { list: fields } : undefined,
    files: { ...files, hasAny: files.list.length > 0 },
    allFiles: files.isCut ? { url: links.record(record)['files'] ?? '' } : undefined,
    citations: toCitations(cited),
    versions: versions.length > 1 ? { list: versions } : undefined,
    isCut,
    changes,
    allChanges:
      record.revision + 1 > changes.length ? { url: links.revisionList(record.value) } : undefined,
    json: links.recordItem(record.value),
    deposit: links.depositOf(record.deposit),
    head: {
      metas: toHighwire(cited, files.list),
      links: inHead(toSignposts({ record, about, files: files.list, links })),
      jsonLd: toScriptJson(toJsonLd(cited, files.list)),
    },
  }
}
