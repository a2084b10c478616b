import type { Kysely } from 'kysely'
import { isProblem } from '../../../errors/errors.ts'
import { runSql } from '../../database/open-postgres.ts'
import { isConflict } from '../../database/postgres-errors.ts'
import type { Tables } from '../../database/schema/tables.ts'
import type { Kind } from './projection.ts'

/** Documents that are looked at with each reading, at most, before they are counted for good. */
const mostPending = 500

const kinds: readonly Kind[] = ['deposits', 'records']

export interface KeptCountsOptions {
  readonly db: Kysely<Tables>
  /** Connections whose statements may take long. */
  readonly patient: Kysely<Tables>
  /** Called with failures that no caller waits for. */
  readonly report: (error: unknown) => void
}

/**
 * Counts of all documents, so that no request has to go through them.
 *
 * A change of a document does not touch the counts: on one row of counts all writers would wait for
 * each other. Changed documents are counted in batches (`levelCounts`); a reader adds the few that
 * changed since then in the same statement, so the counts are never stale. `search_changes` says
 * which those are; older programs write it too, so they may run beside this one.
 */
export class KeptCounts implements AsyncDisposable {
  readonly #options: KeptCountsOptions
  /** Since when changes are to be added, as it was last seen. */
  readonly #since = new Map<Kind, string>()
  #written = 0
  #work: Promise<void> | undefined

  constructor(options: KeptCountsOptions) {
    this.#options = options
  }

  /** Undefined where nothing is kept yet: counting begins then, and the caller counts by itself. */
  readonly of = async (kind: Kind): Promise<Counts | undefined> => {
    const { db } = this.#options
    const since = this.#since.get(kind) ?? (await findSince(db, kind))
    if (since === undefined) return undefined
    const found = since === null ? undefined : await readCounts(db, kind, since)
    if (found) this.#since.set(kind, found.since)
    else this.#since.delete(kind)
    if (!found || found.pending > mostPending) this.#levelSoon()
    return found?.counts
  }

  /** Called after each unit of work. */
  readonly written = (): void => {
    this.#written += 1
    if (this.#written % mostPending === 0) this.#levelSoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work
  }

  /** In the background, once at a time. */
  #levelSoon(): void {
    this.#work ??= this.#level().finally(() => (this.#work = undefined))
  }

  async #level(): Promise<void> {
    try {
      for (const kind of kinds) await levelCounts(this.#options.patient, kind)
    } catch (error) {
      if (!isProblem(error, 'storage_unavailable')) this.#options.report(error)
    }
  }
}

/** Documents of each status; a status without documents may be absent. */
export type Counts = Readonly<Record<string, number>>

/** The stored counts, with all changes since added. */
interface FoundCounts {
  readonly counts: Counts
  /** The oldest transaction whose changes were added. */
  readonly since: string
  /** The number of changed documents that were read for it. */
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
 * @param since as it was found at any time: documents counted since then change nothing
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

/**
 * Prepares the tables of counts when a daemon starts. A dump restored into another cluster has ids of
 * transactions that are in the future there: their documents count as changed now.
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
 * Counts the documents that changed since the last time: the first time, and after a dump was
 * restored, all of them. It reads one snapshot and locks no row that writers of documents need. Does
 * nothing while another daemon counts, or while not all documents are indexed.
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
  // Transactions from there on may not have ended: they are looked at once more.
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
