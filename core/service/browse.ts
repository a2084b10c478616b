import { isJsonObject, type Json } from '../base/json.ts'
import { giveWay } from '../base/turns.ts'
import { wrongField } from '../errors/errors.ts'
import { parseInTurn } from '../deposit/document.ts'
import type { WhichVersions } from '../ports/records.ts'
import type { Bucket } from '../ports/search-index.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Query } from '../search/ast.ts'
import { parseQuery } from '../search/query.ts'
import type { SearchRequest } from '../search/request.ts'
import { boundPage } from './bounded-page.ts'
import type { Parts } from './parts.ts'
import { findRecords } from './search.ts'

/** The facets of records that readers browse by. */
export const recordFacets = ['type', 'year', 'creator', 'license', 'keyword'] as const
export type RecordFacet = (typeof recordFacets)[number]

/** A value that a record must have. */
export interface Choice {
  readonly facet: RecordFacet
  readonly value: string
}

/** A page of a search with facets that are counted in its results. */
interface Browsed {
  /** A bounded batch at a time. */
  readonly batches: AsyncIterable<readonly PublishedRecord[]>
  readonly total: number
  /** Most frequent values first; of a facet with choices, as if there were none in it. */
  readonly facets: ReadonlyMap<RecordFacet, readonly Bucket[]>
  /** Results that were counted: the first ones, where there are more. */
  readonly counted: number
}

/** Results that are looked into: their documents are read, at most as many bytes as a list has. */
const mostCounted = 1000

/**
 * Searches records that have, in each facet with choices, one of the values that are chosen. Facets
 * and choices look into the documents of the first results; of a search with more of them, choices
 * find what has the same words in that field.
 *
 * @throws {DepositError} invalid_paging: a choice is no value of its facet
 */
export async function browseRecords(
  parts: Parts,
  request: SearchRequest,
  choices: readonly Choice[],
  which: WhichVersions,
): Promise<Browsed> {
  const { records } = parts.database.read
  const asked = narrow(request, choices)
  const { found, taken, passing, counts } = await lookInto(parts, asked, choices, which)
  const facets = new Map(counts.toBuckets())
  for (const facet of new Set(choices.map((choice) => choice.facet))) {
    const others = choices.filter((choice) => choice.facet !== facet)
    const without = await lookInto(parts, narrow(request, others), others, which)
    facets.set(facet, without.counts.toBuckets().get(facet) ?? [])
  }
  const end = request.offset + request.size
  const isWhole = found.total <= taken
  const ids = isWhole ? passing : found.ids
  const page =
    isWhole || end <= ids.length
      ? ids.slice(request.offset, end)
      : (await findRecords(parts, asked, which)).ids
  return {
    batches: records.batchesOf(await records.measure(page)),
    total: isWhole ? passing.length : found.total,
    facets,
    counted: passing.length,
  }
}

/** Reads the first results of a search, and counts the values of those that have what is chosen. */
async function lookInto(
  parts: Parts,
  asked: SearchRequest,
  choices: readonly Choice[],
  which: WhichVersions,
) {
  const { records } = parts.database.read
  const wanted = Map.groupBy(choices, ({ facet }) => facet)
  const found = await findRecords(parts, { ...asked, offset: 0, size: mostCounted }, which)
  const { items, taken } = await boundPage(found.ids, records.measure)
  const passing: string[] = []
  const counts = new FacetCounts()
  for await (const batch of records.batchesOf(items)) {
    for (const record of batch) {
      await giveWay()
      await parseInTurn(record)
      const values = facetValues(record)
      const isWanted = wanted
        .entries()
        .every(([facet, chosen]) => chosen.some(({ value }) => values[facet].has(value)))
      if (!isWanted) continue
      passing.push(record.value)
      counts.add(values)
    }
  }
  return { found, taken, passing, counts }
}

/** A query by the same words and choices, as text. */
export function toQueryText(q: string, choices: readonly Choice[]): string {
  // A backslash at the end of the words would take the parenthesis away.
  const words = q === '' ? [] : [choices.length === 0 ? q : `(${q} )`]
  return [...words, ...toClauses(choices)].join(' AND ')
}

function narrow(request: SearchRequest, choices: readonly Choice[]): SearchRequest {
  const { query } = request
  const clauses: readonly Query[] = [
    ...(query ? [query] : []),
    ...toClauses(choices).map(parseQuery),
  ]
  const [first] = clauses
  const whole: Query | undefined = clauses.length > 1 ? { type: 'and', clauses } : first
  return { ...request, ...(whole && { query: whole }), facets: [], filters: [] }
}

/** A clause for each facet: one of the values that are chosen in it. */
function toClauses(choices: readonly Choice[]): readonly string[] {
  return [...Map.groupBy(choices, ({ facet }) => facet).values()].map((chosen) => {
    const clauses = chosen.map(toClause)
    return clauses.length === 1 ? clauses.join('') : `(${clauses.join(' OR ')})`
  })
}

const fields = {
  type: 'resource_type',
  creator: 'creators.name',
  license: 'license',
  keyword: 'keywords',
} as const

function toClause({ facet, value }: Choice): string {
  if (facet !== 'year') return `${fields[facet]}:"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  if (!/^\d{4}$/.test(value))
    throw wrongField('invalid_paging', 'year', 'A year of four digits is expected.')
  const span = `[${value} TO ${value}]`
  return `(publication_date:${span} OR (NOT _exists_:publication_date AND created:${span}))`
}

type FacetValues = Readonly<Record<RecordFacet, ReadonlySet<string>>>

function facetValues({ metadata, created }: PublishedRecord): FacetValues {
  const { resource_type, publication_date, creators, license, keywords } = metadata
  const [date = created] = textsOf(publication_date)
  const names = Array.isArray(creators)
    ? creators.map((creator: Json) => (isJsonObject(creator) ? (creator['name'] ?? null) : null))
    : []
  return {
    type: textsOf(resource_type),
    year: textsOf(/^\d{4}/.exec(date)?.[0]),
    creator: textsOf(names),
    license: textsOf(license),
    keyword: textsOf(keywords),
  }
}

/** Characters of a value to choose by. */
const longestValue = 200

/** Values of a record to choose by. */
const mostValues = 100

/** Those texts that a query can find: short ones with a letter or a digit. */
function textsOf(value: Json | undefined): ReadonlySet<string> {
  const all: readonly Json[] = Array.isArray(value) ? value.slice(0, mostValues) : [value ?? null]
  return new Set(
    all.filter(
      (each) =>
        typeof each === 'string' && each.length <= longestValue && /[\p{L}\p{N}]/u.test(each),
    ) as readonly string[],
  )
}

class FacetCounts {
  readonly #counts = new Map(recordFacets.map((facet) => [facet, new Map<string, number>()]))

  add(values: FacetValues): void {
    for (const [facet, counts] of this.#counts) {
      for (const value of values[facet]) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }

  toBuckets(): Browsed['facets'] {
    return new Map(
      [...this.#counts].map(([facet, counts]) => {
        const buckets = [...counts].map(([key, count]) => ({ key, count }))
        buckets.sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
        return [facet, buckets] as const
      }),
    )
  }
}
