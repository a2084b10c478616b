import { defaultMaxResultWindow, defaultPageSize } from '../contract/defaults.ts'
import { problem, wrongField } from '../errors/errors.ts'
import type { FieldPath, Query } from './ast.ts'
import { parseQuery } from './query.ts'

/** The endpoint configuration of searches: DEPOSIT_REST_SORT_OPTIONS and the like. */
export interface SearchOptions {
  /** Largest `page * size`. */
  readonly maxResultWindow: number
  readonly sortOptions: Readonly<Record<string, SortOption>>
  /** Names of the sort options for searches that ask for none. */
  readonly defaultSort: { readonly query: string; readonly noquery: string }
  readonly facets: Readonly<Record<string, Facet>>
}

export interface SortOption {
  readonly title: string
  /** Dotted paths into the document, `_score`, `_created`, `_updated`; `-` in front for falling. */
  readonly fields: readonly string[]
  /** Rank in a list of the options. */
  readonly order: number
}

/** An aggregation by the values of a field, which is a post filter of the same name as well. */
export interface Facet {
  /** Dotted path into the document. */
  readonly field: string
  /** Most values that are counted; as many as there may be where it is absent. */
  readonly size?: number
  /** False where the aggregation is no post filter. */
  readonly filters?: boolean
}

/** @see Specification, "Limits" */
export const depositSearch: SearchOptions = {
  maxResultWindow: defaultMaxResultWindow,
  sortOptions: {
    bestmatch: { title: 'Best match', fields: ['-_score'], order: 2 },
    mostrecent: { title: 'Most recent', fields: ['-_updated'], order: 1 },
  },
  defaultSort: { query: 'bestmatch', noquery: 'mostrecent' },
  facets: { status: { field: '_deposit.status' } },
}

/** A search as its parameters asked for it, every default filled in. */
export interface SearchRequest {
  /** Absent where all that is visible is asked for. */
  readonly query?: Query
  /** Results before the first one of the page. */
  readonly offset: number
  readonly size: number
  /** Equal documents are ordered by id. */
  readonly sort: readonly SortKey[]
  readonly facets: readonly FacetRequest[]
  readonly filters: readonly FacetFilter[]
}

export interface SortKey {
  readonly by: 'score' | FieldPath
  readonly descending: boolean
}

export interface FacetRequest {
  readonly name: string
  readonly field: FieldPath
  readonly size?: number
}

/** Lets through the documents that have one of `values`; facets are counted without it. */
export interface FacetFilter extends FacetRequest {
  readonly values: readonly string[]
}

/** Parameters of the query string; an array where one is given several times. */
export type SearchParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Reads `q`, `page`, `offset`, `size`, `sort`, `facets` and one filter for each facet (`status`).
 * Other parameters are left alone.
 *
 * @throws {DepositError} invalid_query: `q` cannot be read
 * @throws {DepositError} invalid_paging: any other value is wrong, or the page ends past the window
 */
export function parseSearchRequest(
  parameters: SearchParameters,
  options: SearchOptions = depositSearch,
): SearchRequest {
  const query = parseQ(parameters)
  const sort = parseSort(single(parameters, 'sort'), query !== undefined, options)
  return {
    ...(query && { query }),
    ...parsePaging(parameters, options.maxResultWindow),
    sort,
    facets: parseFacets(single(parameters, 'facets'), options.facets),
    filters: Object.entries(options.facets).flatMap(([name, facet]) =>
      parseFilter(name, facet, parameters[name]),
    ),
  }
}

/**
 * Which versions a search of records finds: the newest of each concept, or with `versions=all` every
 * one.
 *
 * @throws {DepositError} invalid_paging
 */
export function parseVersions(parameters: SearchParameters): { readonly isNewest: boolean } {
  const text = single(parameters, 'versions') ?? ''
  if (text === '' || text === 'all') return { isNewest: text === '' }
  throw wrongField('invalid_paging', 'versions', 'Write all, or leave it out for the newest alone.')
}

/** Addresses that people paste, of what the documents have without them. */
const addresses =
  /(^|\s)https?:\/\/(?:(?:dx\.)?doi\.org|orcid\.org|ror\.org|[^\s/]+\/records)\/([^\s"()]+)(?=\s|$)/gi

/** A DOI alone that the service may have made: it ends in the identifier of a record. */
const ownDoi = /^(?:doi:\s*)?"?(10\.\d{4,9}(?:\.\d+)*\/([\da-z]{5}-[\da-z]{5}))"?$/i

function parseQ({ q }: SearchParameters): Query | undefined {
  if (typeof q === 'object')
    throw problem('invalid_query', { reason: 'The query is given more than once.', position: 0 })
  return q === undefined || q.trim() === '' ? undefined : parseQuery(toWords(q))
}

/** What people paste, as a query of what the documents have. */
function toWords(q: string): string {
  const bare = q.replace(addresses, '$1"$2"')
  const [, doi, value] = ownDoi.exec(bare.trim()) ?? []
  return doi === undefined ? bare : `"${doi}" OR record:"${value?.toLowerCase()}"`
}

/**
 * The beginning and the length of a page: `page` counts pages from 1, `offset` results from 0.
 *
 * @throws {DepositError} invalid_paging
 */
export function parsePaging(
  parameters: SearchParameters,
  window: number,
  preset: number = defaultPageSize,
): { readonly offset: number; readonly size: number } {
  const size = parsePositive(parameters, 'size', Math.min(preset, window))
  if (size > window)
    throw wrongField('invalid_paging', 'size', `A page has at most ${window} results.`)
  const offset = parseOffset(parameters) ?? (parsePositive(parameters, 'page', 1) - 1) * size
  if (offset + size > window) {
    const name = parameters['offset'] === undefined ? 'page' : 'offset'
    throw wrongField(
      'invalid_paging',
      name,
      `Only the first ${window} results of a search can be paged to.`,
    )
  }
  return { offset, size }
}

function parseOffset(parameters: SearchParameters): number | undefined {
  const text = single(parameters, 'offset')
  if (text === undefined) return undefined
  if (parameters['page'] !== undefined) {
    throw wrongField('invalid_paging', 'offset', 'Give a page or an offset, not both.')
  }
  if (!/^\d{1,9}$/.test(text))
    throw wrongField('invalid_paging', 'offset', 'A whole number is expected.')
  return Number(text)
}

function parsePositive(parameters: SearchParameters, name: string, preset: number): number {
  const text = single(parameters, name)
  if (text === undefined) return preset
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw wrongField('invalid_paging', name, 'A whole number of at least 1 is expected.')
  }
  return Number(text)
}

function parseSort(
  text: string | undefined,
  hasQuery: boolean,
  { sortOptions, defaultSort }: SearchOptions,
): readonly SortKey[] {
  const asked = text ?? (hasQuery ? defaultSort.query : defaultSort.noquery)
  const reversed = asked.startsWith('-')
  const name = reversed ? asked.slice(1) : asked
  const option = Object.hasOwn(sortOptions, name) ? sortOptions[name] : undefined
  if (!option) {
    const names = Object.keys(sortOptions).join(', ')
    throw wrongField('invalid_paging', 'sort', `Unknown sort option; use ${names}.`)
  }
  return option.fields.map((field) => toSortKey(field, reversed))
}

function toSortKey(field: string, reversed: boolean): SortKey {
  const falls = field.startsWith('-')
  const name = falls ? field.slice(1) : field
  return { by: name === '_score' ? 'score' : name.split('.'), descending: falls !== reversed }
}

/** Names with commas between; all of them where the parameter is absent. */
function parseFacets(
  text: string | undefined,
  facets: SearchOptions['facets'],
): readonly FacetRequest[] {
  const names = text?.split(',').filter((name) => name !== '') ?? Object.keys(facets)
  return [...new Set(names)].map((name) => {
    const facet = Object.hasOwn(facets, name) ? facets[name] : undefined
    if (!facet) {
      const known = Object.keys(facets).join(', ')
      throw wrongField('invalid_paging', 'facets', `There is no other facet than: ${known}.`)
    }
    const { field, size } = facet
    return { name, field: field.split('.'), ...(size !== undefined && { size }) }
  })
}

function parseFilter(
  name: string,
  facet: Facet,
  given: string | readonly string[] | undefined,
): readonly FacetFilter[] {
  const values = given === undefined || facet.filters === false ? [] : [given].flat()
  if (values.length === 0) return []
  if (values.includes(''))
    throw wrongField('invalid_paging', name, 'The value to filter by is empty.')
  return [{ name, field: facet.field.split('.'), values }]
}

function single(parameters: SearchParameters, name: string): string | undefined {
  const value = parameters[name]
  if (typeof value === 'object')
    throw wrongField('invalid_paging', name, 'This is given more than once.')
  return value
}
