import type { SchemaModule } from 'kysely'

/** Uploads that are parts of one file, and the file that was made of them. */
export async function parallelUploads(schema: SchemaModule): Promise<void> {
  await schema.alterTable('uploads').addColumn('concat', 'text').execute()
}
