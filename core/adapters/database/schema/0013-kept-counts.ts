import { sql, type SchemaModule } from 'kysely'
import type { Engine } from './tables.ts'

/** Counts of documents by status, the status each document was counted with, and the time. */
export async function keptCounts(schema: SchemaModule, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  await schema
    .createTable('search_counts')
    .addColumn('kind', 'text', (column) => column.primaryKey())
    .addColumn('since', sql`xid8`)
    .execute()
  await schema
    .createTable('search_totals')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('search_totals_primary', ['kind', 'status'])
    .execute()
  await schema
    .createTable('search_counted')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('search_counted_primary', ['kind', 'id'])
    .execute()
}
