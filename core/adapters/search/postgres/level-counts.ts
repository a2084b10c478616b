import type { Kysely } from 'kysely'
import { isConflict } from '../../database/postgres-errors.ts'
import type { Tables } from '../../database/schema/tables.ts'
import type { Kind } from './projection.ts'
import { runSql } from '../../database/open-postgres.ts'

/**
 * Makes ready what is kept, once, when a daemon starts. A dump that was brought back into another
 * cluster has numbers of transactions that are yet to come there: what has them is taken for changed
 * now, and is counted anew.
 */
export async function prepareCounts(db: Kysely<Tables>): Promise<void> {
  const next = 'pg_snapshot_xmax(pg_current_snapshot())'
  for (const sql of [
    "INSERT INTO search_counts (kind) VALUES ('deposits'), ('records') ON CONFLICT DO NOTHING",
    `UPDATE search_counts SET since = NULL WHERE since > ${next}`,
    `UPDATE search_changes SET changed = pg_current_xact_id() WHERE changed > ${next}`,
  ]) {
    await runSql(db, { sql, values: [] })
  }
}

/**
 * Counts again what was changed since the last time: the first time, and after a dump was brought
 * back, everything. All is read as it was at one moment, and no row is touched that those write who
 * change documents. Where another daemon is at it, or not all documents are there, nothing is done.
 */
export async function levelCounts(db: Kysely<Tables>, kind: Kind): Promise<void> {
  try {
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((transaction) => level(transaction, kind))
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}

async function level(db: Kysely<Tables>, kind: Kind): Promise<void> {
  const [state] = await runSql<State>(db, {
    sql:
      'SELECT since::text FROM search_counts JOIN search_state USING (kind) WHERE kind = ? ' +
      'FOR UPDATE OF search_counts SKIP LOCKED',
    values: [kind],
  })
  if (!state) return
  if (state.since === null) await forget(db, kind)
  await count(db, kind, state.since)
  // Whatever is not below it had not ended for certain, and is looked at once more.
  await runSql(db, {
    sql: 'UPDATE search_counts SET since = pg_snapshot_xmin(pg_current_snapshot()) WHERE kind = ?',
    values: [kind],
  })
}

interface State {
  /** The oldest transaction whose changes may not be counted; null for none that are. */
  readonly since: string | null
}

async function forget(db: Kysely<Tables>, kind: Kind): Promise<void> {
  for (const table of ['search_totals', 'search_counted']) {
    await runSql(db, { sql: `DELETE FROM ${table} WHERE kind = ?`, values: [kind] })
  }
}

/** Counts those whose status is not the one as which they were counted. */
async function count(db: Kysely<Tables>, kind: Kind, since: string | null): Promise<void> {
  const all = `SELECT id, NULL::text AS before, status AS now FROM search_${kind}`
  const changed =
    'SELECT id, (SELECT status FROM search_counted WHERE kind = changes.kind AND id = changes.id) ' +
    `AS before, (SELECT status FROM search_${kind} WHERE id = changes.id) AS now ` +
    'FROM search_changes AS changes WHERE kind = ? AND changed >= ?::xid8'
  await runSql(db, {
    sql:
      `WITH each AS MATERIALIZED (${since === null ? all : changed}), ` +
      'moved AS (SELECT * FROM each WHERE before IS DISTINCT FROM now), ' +
      'gone AS (DELETE FROM search_counted USING moved WHERE search_counted.kind = ? ' +
      'AND search_counted.id = moved.id AND now IS NULL), ' +
      'stored AS (INSERT INTO search_counted SELECT ?, id, now FROM moved WHERE now IS NOT NULL ' +
      'ON CONFLICT (kind, id) DO UPDATE SET status = excluded.status) ' +
      'INSERT INTO search_totals SELECT ?, status, sum(change) FROM ' +
      '(SELECT now AS status, 1 AS change FROM moved UNION ALL SELECT before, -1 FROM moved) AS changes ' +
      'WHERE status IS NOT NULL GROUP BY status ' +
      'ON CONFLICT (kind, status) DO UPDATE SET count = search_totals.count + excluded.count',
    values: [...(since === null ? [] : [kind, since]), kind, kind, kind],
  })
}
