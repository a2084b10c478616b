import type { Description } from '../describe/description.ts'
import { some, toJsonText, type ExportFormat } from './format.ts'
import { schemaType } from './schema-org.ts'

/** Media type of all links of a record as one document. @see RFC 9264 */
export const linksetType = 'application/linkset+json'

export const linkset: ExportFormat = {
  name: 'linkset',
  title: 'Linkset (Signposting)',
  mediaTypes: [linksetType],
  suffix: '-linkset',
  extension: '.json',
  write: (about) => toJsonText(toLinkset(about)),
}

/** A typed link of a landing page. */
export interface Signpost {
  readonly rel: string
  readonly href: string
  readonly type?: string
  readonly profile?: string
}

/**
 * The links that a landing page offers to machines, but that to all of them.
 *
 * @param formats those of its metadata that are named
 * @see https://signposting.org/FAIR/
 */
export function toSignposts(
  about: Description,
  formats: Description['exports'] = described(about),
): readonly Signpost[] {
  const authors = about.creators.flatMap(({ orcid }) => orcid ?? [])
  const license = about.rights?.url
  return [
    { rel: 'cite-as', href: about.citedAs },
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    { rel: 'type', href: `https://schema.org/${schemaType(about)}` },
    ...toVersionLinks(about),
    ...[...new Set(authors)].map((href) => ({ rel: 'author', href })),
    ...(license === undefined ? [] : [{ rel: 'license', href: license }]),
    ...formats.map(({ url, mediaType, profile }) => ({
      rel: 'describedby',
      href: url,
      type: bare(mediaType),
      ...(profile !== undefined && { profile }),
    })),
    ...about.files.map(({ url, mediaType }) => ({ rel: 'item', href: url, type: mediaType })),
  ]
}

/** @see RFC 5829 */
function toVersionLinks({ concept, previous, next, links }: Description): readonly Signpost[] {
  const related = {
    'latest-version': concept,
    'predecessor-version': previous,
    'successor-version': next,
    'version-history': links['versions'],
  }
  return Object.entries(related).flatMap(([rel, href]) =>
    href === undefined ? [] : [{ rel, href }],
  )
}

/** Other formats that hold metadata: neither citations nor links. */
function described({ exports }: Description): Description['exports'] {
  return exports.filter(({ name }) => name !== 'linkset' && name !== 'citation')
}

/** Without parameters. */
function bare(mediaType: string): string {
  return mediaType.split(';')[0] ?? mediaType
}

/**
 * All of them, with the ways back: from each file to the record it belongs to, and from the metadata
 * to what they describe. It has no other member.
 *
 * @see RFC 9264 §4.2
 */
function toLinkset(about: Description): object {
  const page = [{ href: about.url, type: 'text/html' }]
  const relations = [...Map.groupBy(toSignposts(about), ({ rel }) => rel)].map(
    ([rel, posts]) => [rel, posts.map(toTarget)] as const,
  )
  return {
    linkset: [
      { anchor: about.url, ...Object.fromEntries(relations) },
      ...described(about).map(({ url }) => ({ anchor: url, describes: page })),
      ...about.files.map(({ url }) => ({ anchor: url, collection: page })),
    ],
  }
}

function toTarget({ href, type, profile }: Signpost): object {
  return { href, type, profile: some(profile === undefined ? [] : [profile]) }
}
