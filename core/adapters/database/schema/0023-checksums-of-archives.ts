import type { SchemaModule } from 'kysely'

/** The CRC-32 that a ZIP archive states for each file; null until it was computed. */
export async function checksumsOfArchives(schema: SchemaModule): Promise<void> {
  await schema.alterTable('blobs').addColumn('crc32', 'bigint').execute()
}
