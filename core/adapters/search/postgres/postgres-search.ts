import type { Kysely } from 'kysely'
import type {
  IndexedDocument,
  LoadDocumentsById,
  SearchResult,
  Visibility,
} from '../../../ports/search-index.ts'
import type { SchemaUrl } from '../../../deposit/document.ts'
import { toCondition } from '../../../search/conditions.ts'
import type { SearchRequest, SortKey } from '../../../search/request.ts'
import { toHit, toResult, type Bucket, type Hit } from '../../../search/results.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { isAtHand, joined, toPlan, type Clause, type Plan } from '../query-plan.ts'
import { postgresLanguage, type PostgresMatch } from './postgres-language.ts'
import { runSql } from '../../database/open-postgres.ts'
import { lookUp } from './vocabulary.ts'

export interface SearchContext {
  readonly db: Kysely<Tables>
  readonly load: LoadDocumentsById
  readonly schemaUrl: SchemaUrl
}

/** Documents that are loaded at a time. */
const batchSize = 500

const columns: ReadonlyMap<string, string> = new Map([
  ['_created', 'created'],
  ['_updated', 'updated'],
  ['_deposit.status', 'status'],
])

/** Answers a search by queries alone; who may see what is part of each. */
export async function searchPostgres(
  { db, load, schemaUrl }: SearchContext,
  request: SearchRequest,
  visibility: Visibility,
): Promise<SearchResult> {
  const kind = visibility.of === 'records' ? 'records' : 'deposits'
  const condition = toCondition(request.query ?? { type: 'all' })
  const table = `search_${kind}`
  const vocabulary = await lookUp(db, table, condition, schemaUrl)
  const plan = toPlan(condition, postgresLanguage(table, vocabulary))
  const found = toFound(table, plan, visibility)
  return isAtHand(request, columns)
    ? searchColumns(db, found, request)
    : searchDocuments(db, found, request, (ids) => load(kind, ids))
}

/** A query of all documents that were found: their columns and a `score`, higher is better. */
function toFound(
  table: string,
  { match, where }: Plan<PostgresMatch>,
  visibility: Visibility,
): Clause {
  const language = match && postgresLanguage(table, emptyVocabulary).toClause(match)
  const condition = joined(
    [
      { sql: 'true', values: [] },
      ...(visibility.of === 'owner'
        ? [{ sql: 'owners @> ?::text[]', values: [[visibility.user]] }]
        : []),
      ...(visibility.of !== 'records' && visibility.only !== undefined
        ? [{ sql: 'id = ?', values: [visibility.only] }]
        : []),
      ...(language ? [language] : []),
      ...(where ? [where] : []),
    ],
    ' AND ',
  )
  return {
    sql: `SELECT id, ${statusOf}, created, updated, ${match ? rank : '0'} AS score FROM ${table} WHERE ${condition.sql}`,
    values: [...(match ? [match.query] : []), ...condition.values],
  }
}

/** Records that a later version has superseded are counted apart, and are published. */
const statusOf = "CASE status WHEN 'superseded' THEN 'published' ELSE status END AS status"

const emptyVocabulary = { near: () => [], schemas: () => [] }

/** A word in the title counts for more, and one among few for more than one among many. */
const rank = "coalesce(ts_rank('{0.1, 0.2, 0.4, 1}', terms, ?::tsquery, 1), 0)"

interface Page {
  readonly counts: readonly { readonly key: string; readonly count: number }[] | null
  readonly ids: readonly string[]
}

async function searchColumns(
  db: Kysely<Tables>,
  found: Clause,
  request: SearchRequest,
): Promise<SearchResult> {
  const { offset, size, sort, filters, facets } = request
  const wanted = ['draft', 'published'].filter((status) =>
    filters.every(({ values }) => values.includes(status)),
  )
  const order = [...sort.map(toOrder), 'id'].join(', ')
  const [row] = await runSql<Page>(db, {
    sql:
      `WITH found AS MATERIALIZED (${found.sql}), ` +
      'counts AS (SELECT status AS key, count(*)::int AS count FROM found GROUP BY status) ' +
      'SELECT (SELECT json_agg(counts ORDER BY count DESC, key) FROM counts) AS counts, ' +
      'array(SELECT id FROM found WHERE status = ANY (?::text[]) ' +
      `ORDER BY ${order} LIMIT ? OFFSET ?) AS ids`,
    values: [...found.values, wanted, size, offset],
  })
  const buckets: readonly Bucket[] = row?.counts ?? []
  return {
    ids: row?.ids ?? [],
    total: buckets
      .filter(({ key }) => wanted.includes(key))
      .reduce((sum, { count }) => sum + count, 0),
    facets: Object.fromEntries(facets.map(({ name }) => [name, buckets])),
  }
}

function toOrder({ by, descending }: SortKey): string {
  const column = by === 'score' ? 'score' : (columns.get(by.join('.')) ?? 'id')
  return `${column} ${descending ? 'DESC' : 'ASC'}`
}

/** Looks into each document that was found, for orders and facets that an operator thought of. */
async function searchDocuments(
  db: Kysely<Tables>,
  found: Clause,
  request: SearchRequest,
  load: (ids: readonly string[]) => Promise<readonly IndexedDocument[]>,
): Promise<SearchResult> {
  const rows = await runSql<{ readonly id: string; readonly score: number }>(db, found)
  const hits: Hit[] = []
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize)
    const scores = new Map(batch.map(({ id, score }) => [id, score]))
    for (const document of await load([...scores.keys()])) {
      hits.push(toHit(document, scores.get(document.id) ?? 0, request))
    }
  }
  return toResult(hits, request)
}
