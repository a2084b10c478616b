import { foldText } from './analyze.ts'
import { leavesAt, type Leaf, type IndexedDocument } from './indexed-document.ts'
import type { FacetRequest, SearchRequest, SortKey } from './request.ts'

/** One page of what was found. */
export interface SearchResult {
  /** Ids of the page, in order. */
  readonly ids: readonly string[]
  /** All documents that match and pass the filters, on this page or not. */
  readonly total: number
  /** By the facet's name. */
  readonly facets: Readonly<Record<string, readonly Bucket[]>>
}

/** A value and its number of documents. Sorted by count, the largest first, then by value. */
export interface Bucket {
  readonly key: string
  readonly count: number
}

/** Most buckets that a facet answers with. */
export const maxBuckets = 100

/** Of a document that was found, as much as ordering and counting need. */
export interface Hit {
  readonly id: string
  readonly score: number
  readonly sortValues: readonly (Leaf | undefined)[]
  /** For each facet of the request, the values the document has. */
  readonly facetValues: readonly (readonly string[])[]
  readonly passes: boolean
}

/** @param score higher is better */
export function toHit(document: IndexedDocument, score: number, request: SearchRequest): Hit {
  return {
    id: document.id,
    score: steady(score),
    sortValues: request.sort.map((key) => sortValue(document, key)),
    facetValues: request.facets.map((facet) => valuesOf(document, facet)),
    passes: request.filters.every((filter) =>
      valuesOf(document, filter).some((value) => filter.values.includes(value)),
    ),
  }
}

/** Counts the facets, applies the filters, orders what is left and cuts out the page. */
export function toResult(hits: readonly Hit[], request: SearchRequest): SearchResult {
  const { offset, size, facets, sort } = request
  const passed = hits.filter((hit) => hit.passes).sort((a, b) => compareHits(a, b, sort))
  return {
    ids: passed.slice(offset, offset + size).map((hit) => hit.id),
    total: passed.length,
    facets: Object.fromEntries(
      facets.map((facet, index) => [
        facet.name,
        toBuckets(hits.map((hit) => hit.facetValues[index] ?? [])),
      ]),
    ),
  }
}

/** Sums that differ in their last bits, because documents came in another order, are equal. */
function steady(score: number): number {
  return Number(score.toPrecision(9))
}

function sortValue(document: IndexedDocument, { by }: SortKey): Leaf | undefined {
  if (by === 'score') return undefined
  const [value] = leavesAt(document, by)
  return typeof value === 'string' ? foldText(value) : value
}

function valuesOf(document: IndexedDocument, { field }: FacetRequest): readonly string[] {
  return [...new Set([...leavesAt(document, field)].map(String))]
}

function compareHits(a: Hit, b: Hit, sort: readonly SortKey[]): number {
  for (const [index, key] of sort.entries()) {
    const order =
      key.by === 'score'
        ? direct(a.score - b.score, key)
        : compareLeaves(a.sortValues[index], b.sortValues[index], key)
    if (order !== 0) return order
  }
  return compareTexts(a.id, b.id)
}

/** Numbers stand before texts, and documents without a value last in either direction. */
function compareLeaves(a: Leaf | undefined, b: Leaf | undefined, key: SortKey): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return direct(a - b, key)
  if (typeof a === 'number') return direct(-1, key)
  if (typeof b === 'number') return direct(1, key)
  return direct(compareTexts(String(a), String(b)), key)
}

function direct(order: number, { descending }: SortKey): number {
  return descending ? -order : order
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function toBuckets(values: readonly (readonly string[])[]): readonly Bucket[] {
  const counts = new Map<string, number>()
  for (const value of values.flat()) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || compareTexts(a.key, b.key))
    .slice(0, maxBuckets)
}
