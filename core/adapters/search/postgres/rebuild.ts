import type { Kysely } from 'kysely'
import { createReaders } from '../../database/rows.ts'
import { isConflict } from '../../database/postgres-errors.ts'
import type { Tables } from '../../database/tables.ts'
import { project, WordStore, type Kind } from './projection.ts'
import { runSql } from './run-sql.ts'

/** Documents that share a transaction: few, for it may have to be made again. */
const batchSize = 20

/** The ids of all rows; which of them can be found is asked of each. */
const sources = {
  deposits: 'SELECT id FROM deposits',
  records: 'SELECT pid_value AS id FROM record_revisions WHERE latest = 1',
} as const

/**
 * Makes what is searched of a kind anew from its rows, and removes what has none. Each batch is read
 * and written in one serializable transaction, so it meets the changes of others as they meet each
 * other.
 */
export async function rebuild(db: Kysely<Tables>, kind: Kind, signal: AbortSignal): Promise<void> {
  const words = new WordStore(db)
  let last = ''
  for (;;) {
    if (signal.aborted) return
    const rows = await nextIds(db, kind, last)
    await projectBatch(db, kind, new Set(rows), words)
    const end = rows.at(-1)
    if (end === undefined) break
    last = end
  }
  const gone = `id NOT IN (${sources[kind]})`
  for (const table of [`search_${kind}`, `search_${kind}_values`]) {
    await runSql(db, { sql: `DELETE FROM ${table} WHERE ${gone}`, values: [] })
  }
  const done = 'INSERT INTO search_state (kind) VALUES (?) ON CONFLICT DO NOTHING'
  await runSql(db, { sql: done, values: [kind] })
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
  words: WordStore,
): Promise<void> {
  const nobody: ReadonlySet<string> = new Set()
  const changed = { deposits: nobody, records: nobody, [kind]: ids }
  for (;;) {
    try {
      await db
        .transaction()
        .setIsolationLevel('serializable')
        .execute((transaction) => project(transaction, createReaders(transaction), changed, words))
      return
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
