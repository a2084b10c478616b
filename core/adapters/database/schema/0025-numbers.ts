import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Tables, Engine } from './tables.ts'

/**
 * A number for each deposit, for interfaces that name deposits by integers. It is never given twice:
 * the row stays when its deposit is deleted.
 */
export async function numbers(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  const [type, isCounted] =
    engine === 'sqlite' ? (['integer', false] as const) : (['bigint', true] as const)
  await schema
    .createTable('numbers')
    .addColumn('number', type, (column) =>
      isCounted ? column.primaryKey().generatedByDefaultAsIdentity() : column.primaryKey(),
    )
    .addColumn('deposit_id', 'text', (column) => column.notNull().unique())
    .execute()
  await sql`insert into numbers (deposit_id) select id from deposits order by created, id`.execute(
    db,
  )
}
