import type { PublishedRecord } from '../../../core/index.ts'
import type { Links } from '../../serializers/links.ts'
import type { Bibliography } from './bibliography.ts'
import type { RecordFile } from './files.ts'

/** A typed link of a landing page, for its head and for the `Link` header. */
export interface Signpost {
  readonly rel: string
  readonly href: string
  readonly type?: string
}

interface Described {
  readonly record: PublishedRecord
  readonly about: Bibliography
  readonly files: readonly RecordFile[]
  readonly links: Links
}

/** More of a kind would make a header that servers on the way refuse. */
const most = 30

/**
 * Where machines go on from a landing page.
 *
 * @see https://signposting.org/FAIR/
 */
export function toSignposts({ record, about, files, links }: Described): readonly Signpost[] {
  const authors = about.creators.flatMap(({ orcid }) => (orcid === undefined ? [] : [orcid]))
  return [
    { rel: 'cite-as', href: about.url },
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    ...authors.slice(0, most).map((href) => ({ rel: 'author', href })),
    ...(about.license ? [{ rel: 'license', href: about.license.url }] : []),
    { rel: 'describedby', href: links.recordItem(record.value), type: 'application/json' },
    ...files
      .slice(0, most)
      .map(({ download, mediaType }) => ({ rel: 'item', href: download, type: mediaType })),
  ]
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
