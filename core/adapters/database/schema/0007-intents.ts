import type { SchemaModule } from 'kysely'

/** Bytes that are on their way to a store which is not looked through for what a crash left. */
export async function intents(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('intents')
    .addColumn('blob_id', 'text', (column) => column.primaryKey())
    .addColumn('renewed', 'text', (column) => column.notNull())
    .addColumn('given_up', 'integer', (column) => column.notNull())
    .execute()
  await schema.createIndex('intents_by_renewed').on('intents').column('renewed').execute()
}
