import {
  depositSearch,
  element,
  optional,
  parseInTurn,
  parseSearchRequest,
  type parseVersions,
  searchRecords,
  xmlDocument,
  type Description,
  type Parts,
} from '../../core/index.ts'
import type { Describer } from './describer.ts'
import { shorten } from './shorten.ts'

interface Feed {
  readonly origin: string
  readonly name: string
  /** Empty for all records. */
  readonly q: string
  readonly which: ReturnType<typeof parseVersions>
}

/** Entries of a feed. */
const mostEntries = '50'

/**
 * The newest records that a query finds, as an Atom feed.
 *
 * @throws {DepositError} invalid_query
 * @see RFC 4287
 */
export async function writeFeed(
  parts: Parts,
  describer: Describer,
  { origin, name, q, which }: Feed,
): Promise<string> {
  const asked = { q, size: mostEntries, sort: 'mostrecent' }
  const found = await searchRecords(parts, parseSearchRequest(asked, depositSearch), which)
  const entries: Description[] = []
  for await (const batch of found.batches) {
    for (const record of batch) {
      await parseInTurn(record)
      const { metadata } = shorten(record.metadata)
      entries.push(await describer.record(record, { metadata, files: [] }))
    }
  }
  const words = q === '' ? [] : [`q=${encodeURIComponent(q)}`]
  const query = [...words, ...(which.isNewest ? [] : ['versions=all'])].join('&')
  const self = `${origin}/records.atom${query === '' ? '' : `?${query}`}`
  // A feed without entries has changed at no time that is known.
  const updated = entries[0]?.updated ?? '1970-01-01T00:00:00Z'
  return xmlDocument(
    element('feed', { xmlns: 'http://www.w3.org/2005/Atom' }, [
      element('id', {}, self),
      element('title', {}, q === '' ? name : `${name}: ${q}`),
      element('updated', {}, updated),
      element('author', {}, [element('name', {}, name)]),
      element('link', { rel: 'self', type: 'application/atom+xml', href: self }, ''),
      ...entries.map(toEntry),
    ]),
  )
}

function toEntry(about: Description) {
  return element('entry', {}, [
    element('id', {}, about.url),
    element('title', {}, about.title ?? about.id),
    element('updated', {}, about.updated),
    element('published', {}, about.created),
    ...about.creators.map((creator) => element('author', {}, [element('name', {}, creator.name)])),
    element('link', { rel: 'alternate', type: 'text/html', href: about.url }, ''),
    ...about.keywords.map((keyword) => element('category', { term: keyword }, '')),
    optional('summary', about.description),
  ])
}
