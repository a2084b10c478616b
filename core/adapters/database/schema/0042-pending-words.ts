import type { Kysely, SchemaModule } from 'kysely'
import { sql } from 'kysely'
import type { Engine, Tables } from './tables.ts'

/** Kilobytes of entries that may wait to be sorted into an index: the least PostgreSQL takes. */
const pending = 64

/**
 * Fewer entries wait to be sorted into the indexes of words. Each search reads those that wait, 4 MiB
 * of them where nothing is set, and PostgreSQL then takes all documents for quicker to read than the
 * index.
 *
 * @see https://www.postgresql.org/docs/current/gin-implementation.html#GIN-FAST-UPDATE
 */
export async function pendingWords(
  _schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  if (engine !== 'postgres') return
  for (const kind of ['deposits', 'records']) {
    for (const name of ['by_terms', 'by_owners']) {
      const index = sql.table(`search_${kind}_${name}`)
      await sql`alter index ${index} set (gin_pending_list_limit = ${sql.lit(pending)})`.execute(db)
    }
  }
}
