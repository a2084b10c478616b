import type { SchemaModule } from 'kysely'

/** Files that clients said they would send to a draft. */
export async function announcedFiles(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('announced_files')
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('announced_files_key', ['deposit_id', 'key'])
    .execute()
}
