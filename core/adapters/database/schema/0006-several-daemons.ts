import type { SchemaModule } from 'kysely'

/** Secrets and counts shared by all daemons on these rows. */
export async function severalDaemons(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('shared_secrets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
  // As `RateLimiterPostgres` of rate-limiter-flexible wants it.
  await schema
    .createTable('guesses')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('expire', 'bigint')
    .execute()
}
