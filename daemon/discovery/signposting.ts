import type { PublishedRecord } from '../../core/index.ts'
import { linksetType, type Links } from '../config/links.ts'
import type { Bibliography } from './bibliography.ts'
import type { RecordFile } from './files.ts'
import { schemaType } from './json-ld.ts'

/** A typed link of a landing page. */
export interface Signpost {
  readonly rel: string
  readonly href: string
  readonly type?: string
}

/** The data that the links of a record are made from. */
export interface Described {
  readonly record: PublishedRecord
  readonly about: Pick<Bibliography, 'creators' | 'resourceType' | 'license' | 'url'>
  readonly files: readonly RecordFile[]
  readonly links: Links
}

/** Bytes of a `Link` header. Proxies keep a whole head in 4 KB by default. */
const mostBytes = 2000

/** Relations of a header that has no room for all of them: the linkset has the rest. */
const kept: ReadonlySet<string> = new Set(['cite-as', 'type', 'license', 'describedby', 'linkset'])

/**
 * The links that a landing page offers to machines, for any number of files.
 *
 * @see https://signposting.org/FAIR/
 */
export function toSignposts({ record, about, files, links }: Described): readonly Signpost[] {
  const authors = about.creators.flatMap(({ orcid }) => (orcid === undefined ? [] : [orcid]))
  return [
    { rel: 'cite-as', href: about.url },
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    { rel: 'type', href: `https://schema.org/${schemaType(about)}` },
    ...authors.map((href) => ({ rel: 'author', href })),
    ...(about.license ? [{ rel: 'license', href: about.license.url }] : []),
    { rel: 'describedby', href: links.recordItem(record.value), type: 'application/json' },
    { rel: 'linkset', href: links.linkset(record.value), type: linksetType },
    ...files.map(({ download, mediaType }) => ({ rel: 'item', href: download, type: mediaType })),
  ]
}

/** The signposts that fit in the head of an answer: all of them, or those that lead to the rest. */
export function inHead(posts: readonly Signpost[]): readonly Signpost[] {
  // The header of ten thousand files is not written to be measured.
  if (posts.length < 100 && toLinkHeader(posts).length <= mostBytes) return posts
  return posts.filter(({ rel, href }) => kept.has(rel) && href.length < mostBytes / 4)
}

/** The same as a header. @see RFC 8288 §3 */
export function toLinkHeader(posts: readonly Signpost[]): string {
  return posts
    .map(
      ({ rel, href, type }) => `<${toAscii(href)}>; rel="${rel}"${type ? `; type="${type}"` : ''}`,
    )
    .join(', ')
}

/** A license of the document may hold what a header cannot. */
function toAscii(href: string): string {
  return new URL(href).href.replaceAll(/[<>"\\]/g, encodeURIComponent)
}
