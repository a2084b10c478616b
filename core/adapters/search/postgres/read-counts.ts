import type { Kysely } from 'kysely'
import type { Tables } from '../../database/schema/tables.ts'
import type { Kind } from './projection.ts'
import { runSql } from '../../database/open-postgres.ts'

/** How many documents have each status; what none has may be missing, or 0. */
export type Counts = Readonly<Record<string, number>>

/** What was kept, with all that has changed since. */
export interface FoundCounts {
  readonly counts: Counts
  /** The oldest transaction whose changes were added. */
  readonly since: string
  /** How many documents were looked at. */
  readonly pending: number
}

/**
 * Since when changes are to be added: null where nothing was counted yet, undefined where the
 * documents are not all there to be counted.
 */
export async function findSince(
  db: Kysely<Tables>,
  kind: Kind,
): Promise<string | null | undefined> {
  const [row] = await runSql<{ readonly since: string | null }>(db, {
    sql: 'SELECT since::text FROM search_counts JOIN search_state USING (kind) WHERE kind = ?',
    values: [kind],
  })
  return row?.since
}

/**
 * The counts of one moment: undefined where nothing is kept.
 *
 * @param since as it was found at any time: what has been counted meanwhile changes nothing
 */
export async function readCounts(
  db: Kysely<Tables>,
  kind: Kind,
  since: string,
): Promise<FoundCounts | undefined> {
  const [found] = await runSql<FoundCounts>(db, {
    sql:
      'WITH changed AS MATERIALIZED ' +
      '(SELECT id FROM search_changes WHERE kind = ? AND changed >= ?::xid8), ' +
      'each AS (SELECT status, count FROM search_totals WHERE kind = ? ' +
      'UNION ALL SELECT (SELECT status FROM search_counted WHERE kind = ? AND id = changed.id), -1 ' +
      `FROM changed UNION ALL SELECT (SELECT status FROM search_${kind} WHERE id = changed.id), 1 ` +
      'FROM changed), sums AS (SELECT status, sum(count) AS count FROM each ' +
      'WHERE status IS NOT NULL GROUP BY status) ' +
      "SELECT coalesce((SELECT json_object_agg(status, count) FROM sums), '{}') AS counts, " +
      'since::text, (SELECT count(*)::int FROM changed) AS pending FROM search_counts ' +
      'WHERE kind = ? AND since BETWEEN ?::xid8 AND pg_snapshot_xmax(pg_current_snapshot())',
    values: [kind, since, kind, kind, kind, since],
  })
  return found
}
