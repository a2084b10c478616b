import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  parseInTurn,
  type JsonObject,
  type PublishedRecord,
  type Records,
} from '../../core/index.ts'
import { isFresh, lastModified } from '../http/revision.ts'
import { setPublic } from '../http/sharing.ts'
import { linksetType, type Links } from '../config/links.ts'
import { toBibliography } from './bibliography.ts'
import { toFile } from './files.ts'
import { toSignposts, type Described, type Signpost } from './signposting.ts'

/** Sends every link of a record, of which the header of its page has only those that fit. */
export async function sendLinkset(
  { records, links }: { readonly records: Records; readonly links: Links },
  request: FastifyRequest,
  reply: FastifyReply,
  record: PublishedRecord,
): Promise<FastifyReply> {
  const etag = `"${record.revision}-linkset"`
  setPublic(request, reply)
  reply.headers({ etag, 'last-modified': lastModified(record.updated) }).type(linksetType)
  if (isFresh(request.headers, etag, record.updated)) return reply.code(304).send()
  await parseInTurn(record)
  const about = toLinked(record, links.recordPage(record.value))
  const files = (await records.files(record)).map((file) => toFile(file, links))
  return reply.send(toLinkset({ record, about, files, links }))
}

/** The links that the document gives: of a thousand creators few may have an ORCID iD. */
const known = new WeakMap<JsonObject, Omit<Described['about'], 'url'>>()

function toLinked(record: PublishedRecord, url: string): Described['about'] {
  const kept = known.get(record.metadata)
  if (kept) return { ...kept, url }
  const { creators, resourceType, license } = toBibliography(record, url)
  const linked = creators.filter(({ orcid }) => orcid !== undefined)
  const about = { creators: linked, resourceType, ...(license && { license }) }
  known.set(record.metadata, about)
  return { ...about, url }
}

/**
 * All of them as a document, with the ways back: from each file to the record it belongs to, and
 * from the metadata to what they describe.
 *
 * @see RFC 9264 §4.2
 */
function toLinkset({ record, about, files, links }: Described): object {
  const page = [{ href: about.url, type: 'text/html' }]
  const own = toSignposts({ record, about, files, links }).filter(({ rel }) => rel !== 'linkset')
  const targets = Map.groupBy(own, ({ rel }) => rel)
  const relations = [...targets].map(([rel, posts]) => [rel, posts.map(toTarget)] as const)
  return {
    linkset: [
      { anchor: about.url, ...Object.fromEntries(relations) },
      { anchor: links.recordItem(record.value), describes: page },
      ...files.map(({ download }) => ({ anchor: download, collection: page })),
    ],
  }
}

function toTarget({ href, type }: Signpost): object {
  return { href, ...(type !== undefined && { type }) }
}
