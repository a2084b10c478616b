import type { SchemaModule } from 'kysely'

/** The draft of a record's next version is looked for whenever one is asked for. */
export async function nextVersions(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('deposits_predecessor')
    .on('deposits')
    .columns(['predecessor', 'created'])
    .where('predecessor', 'is not', null)
    .execute()
}
