import type { Kysely } from 'kysely'
import { createReaders } from '../../database/rows.ts'
import { isConflict } from '../../database/postgres-errors.ts'
import type { Tables } from '../../database/schema/tables.ts'
import { project, WordStore, type Kind, type Outside } from './projection.ts'
import { RowThread } from './row-thread.ts'
import { runSql } from '../../database/open-postgres.ts'

/** Documents that share a transaction: few, for it may have to be made again. */
const batchSize = 20

/** The ids of all rows; which of them can be found is asked of each. */
const sources = {
  deposits: 'SELECT id FROM deposits',
  records: 'SELECT pid_value AS id FROM record_revisions WHERE latest = 1',
} as const

/**
 * Builds the search tables of a kind again from its rows, and removes entries without a row. Each
 * batch is read and written in one serializable transaction, so changes of others conflict with it as
 * with each other.
 */
export async function rebuild(db: Kysely<Tables>, kind: Kind, signal: AbortSignal): Promise<void> {
  await using rows = new RowThread()
  const outside = { words: new WordStore(db), rows }
  let last = ''
  for (;;) {
    if (signal.aborted) return
    const ids = await nextIds(db, kind, last)
    await projectBatch(db, kind, new Set(ids), outside)
    const end = ids.at(-1)
    if (end === undefined) break
    last = end
  }
  await removeGone(db, kind)
  const done = 'INSERT INTO search_state (kind) VALUES (?) ON CONFLICT DO NOTHING'
  await runSql(db, { sql: done, values: [kind] })
}

/** Removes entries without a row, and notes them as changed: they may have been counted. */
async function removeGone(db: Kysely<Tables>, kind: Kind): Promise<void> {
  const gone = `id NOT IN (${sources[kind]})`
  await runSql(db, { sql: `DELETE FROM search_${kind}_values WHERE ${gone}`, values: [] })
  await runSql(db, {
    sql:
      `WITH gone AS (DELETE FROM search_${kind} WHERE ${gone} RETURNING id) ` +
      'INSERT INTO search_changes SELECT ?, id, pg_current_xact_id() FROM gone ' +
      'ON CONFLICT (kind, id) DO UPDATE SET changed = excluded.changed',
    values: [kind],
  })
}

async function nextIds(db: Kysely<Tables>, kind: Kind, last: string): Promise<readonly string[]> {
  const rows = await runSql<{ readonly id: string }>(db, {
    sql: `SELECT id FROM (${sources[kind]}) AS sources WHERE id > ? ORDER BY id LIMIT ?`,
    values: [last, batchSize],
  })
  return rows.map(({ id }) => id)
}

async function projectBatch(
  db: Kysely<Tables>,
  kind: Kind,
  ids: ReadonlySet<string>,
  outside: Outside,
): Promise<void> {
  const nobody: ReadonlySet<string> = new Set()
  const changed = { deposits: nobody, records: nobody, [kind]: ids }
  for (;;) {
    try {
      await db
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async (transaction) => {
          // Those who change a deposit without a serializable transaction wait.
          const locked = 'SELECT 1 FROM deposits WHERE id = ANY (?) FOR SHARE'
          if (kind === 'deposits') await runSql(transaction, { sql: locked, values: [[...ids]] })
          await project(transaction, createReaders(transaction), changed, outside)
        })
      return
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
