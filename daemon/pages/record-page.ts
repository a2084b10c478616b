import { Type } from 'typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { citationStyles } from '../../core/contract/exports.ts'
import {
  cite,
  describe,
  markdownHtml,
  packZip,
  parseInTurn,
  secondsUntilOpen,
  styleTitle,
  toSchemaOrg,
} from '../../core/index.ts'
import type { DepositFile, Description, PublishedRecord } from '../../core/index.ts'
import { recordBody } from '../../core/contract/schemas.ts'
import { conditionalRead, unchanged, validators } from '../api/openapi/parameters.ts'
import { askedRecord, formatsOf, recordExport } from '../api/exports.ts'
import { waitForRecord } from '../api/large-documents.ts'
import { resource, revision } from '../api/route.ts'
import { negotiate } from '../http/negotiation.ts'
import { addVary, sharedDocument } from '../http/sharing.ts'
import { sendRecordBody } from '../api/deposit-json.ts'
import { toScriptJson } from './templates.ts'
import type { PageParts } from './templates.ts'
import { negotiated, offersOf, sendExport } from '../discovery/send-export.ts'
import { inHead, toLinkHeader } from '../discovery/signposting.ts'
import type { Services } from '../api/services.ts'
import { formatDate, formatSize, languageName, text } from './text/text.ts'
import { findChanges } from './changes.ts'
import { typeName } from './field-lines.ts'
import { toFields } from './fields.ts'
import type { Describer } from '../discovery/describer.ts'
import { toHighwire } from '../discovery/highwire.ts'
import { mostCited, shorten } from '../discovery/shorten.ts'
import { toFiles } from './record-files.ts'
import {
  filesQuery,
  findPart,
  isWhole,
  mostTogether,
  readAskedFiles,
  toFolderView,
  type AskedFiles,
} from './record-folder.ts'
import { findVersions } from './versions.ts'

/** `/records/{pid_value}` unless configured otherwise: the address a record is cited by, as a page or as its JSON. */
export function recordPage({ services, send }: PageParts): FastifyPluginAsync {
  const { records, routes, describer, parts } = services
  const offers = offersOf(negotiated(describer.formats))
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
        query: { revision, ...filesQuery },
        answers: {
          200: {
            description: 'The record.',
            content: {
              'text/html': Type.String(),
              ...formatsOf(negotiated(describer.formats), recordBody),
            },
          },
          ...unchanged,
        },
        answerHeaders: [...validators, 'Link', 'Cache-Control'],
        handler: async (request, reply) => {
          const type = negotiate(request.headers.accept, ['text/html', ...offers.keys()])
          const record = await askedRecord(records, request)
          addVary(reply, 'accept')
          if (type === 'text/html') return sendPage(record, request, reply)
          const choice = offers.get(type)
          if (!choice || type === 'application/json')
            return sendRecordBody(services, request, reply, record)
          await waitForRecord(services, request, reply, record)
          return sendExport(request, reply, await describer.recordSource(record), {
            write: describer.write,
            choice,
          })
        },
      },
    })
    resource(app, services, `${routes.recordPage}/export/{name}`, {
      GET: recordExport(services, 'exportRecordPage'),
    })
  }

  async function sendPage(
    record: PublishedRecord,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    await waitForRecord(services, request, reply, record)
    await parseInTurn(record)
    const newest = await records.newest(record)
    const opensIn = secondsUntilOpen(newest, parts.clock.now())
    const view = await toRecordView(services, record, readAskedFiles(request))
    reply.header('link', toLinkHeader(view.head.links))
    return send(reply, 'record', view, opensIn)
  }
}

/** Everything the template of a record says, in the order of the page. */
async function toRecordView(
  services: Services,
  whole: PublishedRecord,
  place: Omit<AskedFiles, 'revision'>,
) {
  const { records, links, parts, describer } = services
  const { metadata, isCut } = shorten(whole.metadata)
  const record = { ...whole, metadata }
  // The page is the same for all who ask: those who may have closed files have the deposit's page.
  const all = (await records.files(whole, 'anonymous')) ?? []
  const isMany = all.length > mostTogether
  const files = isMany ? all.slice(0, mostTogether) : all
  const about = await describer.record(whole, { metadata, files })
  const cited = await describer.record(whole, {
    metadata: shorten(whole.metadata, mostCited).metadata,
    files,
  })
  const isOpen = about.access.files === 'public'
  const isOld = await isOlder(services, whole)
  const asked = { ...place, revision: isOld ? whole.revision : undefined }
  const part = isMany ? findPart(all, asked) : undefined
  const shown = part ? (await describer.record(whole, { metadata, files: part.files })).files : []
  const listed = toFiles(part ? shown : about.files, all)
  const versions = await findVersions(services, record)
  const changes = await findChanges(records, whole)
  const fields = toFields(record, parts.schemas, parts.clock.now())
  // What is saved from the page of an earlier state is that state.
  const ofState = (url: string): string => (isOld ? `${url}?revision=${whole.revision}` : url)
  return {
    title: about.title ?? text('record.untitled'),
    about: toAbout(about),
    fields: fields.length > 0 ? { list: fields } : undefined,
    files: { ...listed, hasAny: all.length > 0, hasGroups: !part },
    browse: part && toFolderView(part, asked),
    closed: toClosed(about),
    whole: listed.isOne || !isOpen ? undefined : toWhole(services, whole, all, ofState),
    allFiles: listed.isCut ? { url: about.links['files'] ?? '' } : undefined,
    citations: [
      ...toCitations(cited, describer.formats),
      ...(versions.list.length > 1 ? [await citationOfAll(describer, whole)] : []),
    ],
    formats: about.exports
      .filter(({ name }) => name !== 'json')
      .map(({ title, url }) => ({ title, url: ofState(url) })),
    hasPackages: isOpen,
    packages: (isOpen ? ['RO-Crate', 'BagIt'] : []).map((name) => ({
      title: `${name} (ZIP)`,
      url: ofState(links.recordPackage(record.value, name.toLowerCase())),
    })),
    versions: versions.list.length > 1 ? { ...versions, concept: toConcept(about) } : undefined,
    isCut,
    newer: isOld ? { url: about.url } : undefined,
    changes: changes.map((change, at) => ({
      ...change,
      // That of the page itself leads nowhere.
      url: at > 0 && `${about.url}?revision=${whole.revision - at}`,
    })),
    allChanges:
      record.revision + 1 > changes.length ? { url: links.revisionList(record.value) } : undefined,
    json: links.recordItem(record.value),
    deposit: links.depositOf(record.deposit),
    head: isOld || !isWhole(place) ? headOfOld(about) : headOf(about, cited),
  }
}

/** All versions as a sentence, with the DOI or address that stands for them. */
async function citationOfAll(describer: Describer, record: PublishedRecord): Promise<Citation> {
  const { metadata } = shorten(record.metadata, mostCited)
  const about = describe(await describer.conceptSource(record, { metadata, files: [] }))
  const [style] = citationStyles
  const name = text('record.citeAll', { style: styleTitle(style) })
  return { id: 'all-versions', name, content: cite(about, style), isSource: false, isFirst: false }
}

/** The address that stands for all versions. */
function toConcept({ versions }: Description) {
  const concept = versions.find(({ relation }) => relation === 'IsVersionOf')
  return concept?.url === undefined ? undefined : { url: concept.url }
}

/** Longest description that Google Dataset Search takes. Characters. */
const longestDescription = 5000

function headOf(about: Description, cited: Description) {
  const { description, ...dataset } = toSchemaOrg(cited)
  const said =
    typeof description === 'string' ? description.slice(0, longestDescription) : undefined
  return {
    metas: toHighwire(cited),
    links: inHead(about),
    jsonLd: toScriptJson({
      '@context': 'https://schema.org',
      ...dataset,
      ...(said !== undefined && { description: said }),
    }),
  }
}

/** An earlier state, and a part of many files, are found through the current page alone. */
function headOfOld({ url }: Description) {
  return {
    metas: [{ name: 'robots', content: 'noindex, follow' }],
    links: [{ rel: 'canonical', href: url }],
  }
}

async function isOlder({ records }: Services, { value, revision }: PublishedRecord) {
  return revision < (await records.get(value)).revision
}

/** When files that are not public open, and why they are closed. */
function toClosed({ access: { files, until, reason } }: Description) {
  if (files === 'public') return undefined
  const when =
    until === undefined
      ? text('record.restricted')
      : text('record.opens', { day: formatDate(until) })
  return { when, reason }
}

/** The link to all files as one. */
function toWhole(
  { parts, links }: Services,
  record: PublishedRecord,
  files: readonly DepositFile[],
  ofState: (url: string) => string,
) {
  const { value: id, revision, created } = record
  const { size } = packZip(parts, { id, revision, created, files })
  return { url: ofState(links.recordPackage(id, 'zip')), size: formatSize(size) }
}

/** Creators that are shown at once. */
const mostCreators = 20

/** The facts in the head of the page and in its margin. */
export function toAbout(about: Description) {
  const { creators, description = '', rights, language = '' } = about
  const isFolded = creators.length > mostCreators + 5
  return {
    title: about.title ?? text('record.untitled'),
    creators: creators.map(({ name, orcid, affiliations }, index) => ({
      name,
      // The others are unfolded.
      fold:
        isFolded &&
        index === mostCreators &&
        text('record.moreCreators', { count: creators.length - mostCreators }),
      orcid,
      affiliations: affiliations.map((each, at) => ({
        ...each,
        between: at > 0 ? ';' : '',
      })),
    })),
    date: about.date,
    day: formatDate(about.date),
    resourceType: about.resourceType && typeName(about.resourceType.id),
    publisher: about.publisher.name,
    description,
    prose: markdownHtml(description),
    keywords: about.keywords,
    license: rights && { id: rights.id ?? false, name: rights.name, url: rights.url },
    version: about.version,
    language,
    url: about.url,
    value: about.id,
    doi: toOwnDoi(about),
    languageName: languageName(language),
    hasCreators: creators.length > 0,
    isFolded,
    hasKeywords: about.keywords.length > 0,
  }
}

/** The DOI that was made here; one that the document names is among its fields. */
function toOwnDoi({ doi, citedAs, document }: Description) {
  return doi === undefined || document['doi'] !== undefined ? false : { value: doi, url: citedAs }
}

/** A citation in one of the styles or formats people paste. */
interface Citation {
  readonly id: string
  readonly name: string
  readonly content: string
  /** True where line breaks count. */
  readonly isSource: boolean
  /** True for the one that is shown first. */
  readonly isFirst: boolean
}

/** The record as a sentence in every style, and in the formats of programs that cite. */
function toCitations(about: Description, formats: Describer['formats']): readonly Citation[] {
  const sentences = citationStyles.map((style, at) => ({
    id: style,
    name: styleTitle(style),
    content: cite(about, style),
    isSource: false,
    isFirst: at === 0,
  }))
  const sources = formats
    .filter(({ name }) => name === 'bibtex' || name === 'ris')
    .map(({ name, title, write }) => ({
      id: name,
      name: title,
      // An abstract is no part of a citation.
      content: write({ ...about, description: undefined }).trimEnd(),
      isSource: true,
      isFirst: false,
    }))
  return [...sentences, ...sources]
}
