import { sql } from 'kysely'
import type { SchemaModule } from 'kysely'

/** When each blob was last read back and what was found, and which records have their manifest. */
export async function upkeep(schema: SchemaModule): Promise<void> {
  await schema.alterTable('blobs').addColumn('checked', 'text').execute()
  await schema.alterTable('blobs').addColumn('damage', 'text').execute()
  await schema.createIndex('blobs_by_checked').on('blobs').columns(['checked', 'id']).execute()
  await schema
    .createIndex('blobs_damaged')
    .on('blobs')
    .column('damage')
    .where('damage', 'is not', null)
    .execute()
  await schema
    .alterTable('record_revisions')
    .addColumn('manifested', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .createIndex('record_revisions_unmanifested')
    .on('record_revisions')
    .columns(['pid_value', 'revision'])
    .where(sql.ref('manifested'), '=', 0)
    .execute()
}
