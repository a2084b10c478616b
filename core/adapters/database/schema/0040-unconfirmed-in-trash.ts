import type { SchemaModule } from 'kysely'

/** Which files of the trash were announced, and not confirmed: they come back as such. */
export async function unconfirmedInTrash(schema: SchemaModule): Promise<void> {
  await schema
    .alterTable('trashed_files')
    .addColumn('unconfirmed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
