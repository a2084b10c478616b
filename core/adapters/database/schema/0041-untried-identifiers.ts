import { sql, type SchemaModule } from 'kysely'

/** Identifiers that no worker has tried yet, so that those with a wrong time are found at once. */
export async function untriedIdentifiers(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('identifier_outbox_untried')
    .on('identifier_outbox')
    .columns(['due'])
    .where(sql.ref('attempts'), '=', sql.lit(0))
    .execute()
}
