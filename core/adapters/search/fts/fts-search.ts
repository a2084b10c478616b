import type Sqlite from 'better-sqlite3'
import type { IndexedDocument, SearchResult, Visibility } from '../../../ports/search-index.ts'
import { toCondition } from '../../../search/conditions.ts'
import { ownerToken } from '../../../search/field-tokens.ts'
import type { SearchRequest, SortKey } from '../../../search/request.ts'
import { toHit, toResult, type Hit } from '../../../search/results.ts'
import { isAtHand, toPlan, type Clause, type Plan } from '../query-plan.ts'
import { ftsLanguage, phrase } from './fts-language.ts'

export type FtsSearch = (request: SearchRequest, visibility: Visibility) => SearchResult

/** Fields to sort by that are columns of the index; a word in the title counts twice. */
const columns: ReadonlyMap<string, string> = new Map([
  ['_created', 'facts.created'],
  ['_updated', 'facts.updated'],
  ['_deposit.status', 'facts.n & 1'],
])
const score = '-bm25(words, 2, 1, 1)'

/** Answers searches from an index of `open-fts.ts`. */
export function ftsSearch(sqlite: Sqlite.Database): FtsSearch {
  const language = ftsLanguage(sqlite)
  return (request, visibility) => {
    const plan = toPlan(toCondition(request.query ?? { type: 'all' }), language)
    const found = toFound(plan, visibility)
    return isAtHand(request, columns)
      ? searchNumbers(sqlite, found, request)
      : searchBodies(sqlite, found, request)
  }
}

/** The documents that were found: the text after `SELECT`, and their name there. */
interface Found extends Clause {
  /** Their number, by which `statusOf` knows their status. */
  readonly n: string
  /** Rank, higher is better; undefined if all rank the same. */
  readonly score: string | undefined
  /** The same with all columns of `facts`. */
  readonly facts: Clause
}

function toFound({ match, where }: Plan<string>, visibility: Visibility): Found {
  const owner = visibility.of === 'owner' ? phrase([ownerToken(visibility.user)]) : undefined
  const only = visibility.of === 'records' ? undefined : visibility.only
  const query = [match, owner].filter((part) => part !== undefined).join(' AND ')
  const matching: Clause = { sql: 'words MATCH ?', values: [query] }
  const further: readonly Clause[] = [
    ...(only === undefined ? [] : [{ sql: 'facts.id = ?', values: [only] }]),
    ...(where ? [where] : []),
  ]
  const isMatch = query !== '' && further.length === 0
  const facts =
    query === ''
      ? from('facts', further)
      : from('words CROSS JOIN facts ON facts.n = words.rowid', [matching, ...further])
  return {
    ...(isMatch ? from('words', [matching]) : facts),
    n: isMatch ? 'words.rowid' : 'facts.n',
    score: match === undefined ? undefined : score,
    facts,
  }
}

function from(tables: string, conditions: readonly Clause[]): Clause {
  return {
    sql: [`FROM ${tables} WHERE 1`, ...conditions.map(({ sql }) => `(${sql})`)].join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

function searchNumbers(
  sqlite: Sqlite.Database,
  found: Found,
  request: SearchRequest,
): SearchResult {
  const counts = sqlite
    .prepare(`SELECT ${found.n} & 1, count(*) ${found.sql} GROUP BY 1 ORDER BY 2 DESC, 1`)
    .raw()
    .all(...found.values) as [number, number][]
  const passing = counts.filter(([number]) =>
    request.filters.every(({ values }) => values.includes(statusOf(number))),
  )
  const [only] = passing
  const within = passing.length < counts.length && only ? ` AND facts.n & 1 = ${only[0]}` : ''
  const buckets = counts.map(([number, count]) => ({ key: statusOf(number), count }))
  return {
    ids: passing.length > 0 ? idsOf(sqlite, found, request, within) : [],
    total: passing.reduce((sum, [, count]) => sum + count, 0),
    facets: Object.fromEntries(request.facets.map(({ name }) => [name, buckets])),
  }
}

function idsOf(
  sqlite: Sqlite.Database,
  found: Found,
  request: SearchRequest,
  within: string,
): readonly string[] {
  const { sort, offset, size } = request
  const order = [...sort.flatMap((by) => toOrder(by, found)), 'facts.id'].join(', ')
  const { sql, values } = found.facts
  const ids = sqlite
    .prepare(`SELECT facts.id ${sql}${within} ORDER BY ${order} LIMIT ? OFFSET ?`)
    .pluck()
    .all(...values, size, offset)
  return ids as string[]
}

function toOrder({ by, descending }: SortKey, found: Found): readonly string[] {
  const expression = by === 'score' ? found.score : columns.get(by.join('.'))
  return expression === undefined ? [] : [`${expression} ${descending ? 'DESC' : 'ASC'}`]
}

/** Looks into each document that was found, for orders and facets that an operator thought of. */
function searchBodies(
  sqlite: Sqlite.Database,
  { facts, score: rank = '1' }: Found,
  request: SearchRequest,
): SearchResult {
  const body = '(SELECT document FROM bodies WHERE bodies.n = facts.n)'
  const select = sqlite.prepare(`SELECT ${body}, ${rank} ${facts.sql}`).raw()
  const hits: Hit[] = []
  for (const row of select.iterate(...facts.values)) {
    const [document, given] = row as [string, number]
    hits.push(toHit(JSON.parse(document) as IndexedDocument, given, request))
  }
  return toResult(hits, request)
}

type Status = IndexedDocument['status']

/**
 * The number of a document in the index: even for a draft, odd for what is published. So the facet
 * that every search counts needs no look at the document.
 */
export function documentNumber(ordinal: number, status: Status): number {
  return 2 * ordinal + (status === 'published' ? 1 : 0)
}

/** @param number of a document, or its last bit */
function statusOf(number: number): Status {
  return number % 2 === 1 ? 'published' : 'draft'
}
