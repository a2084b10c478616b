import type { SchemaModule } from 'kysely'

/** Uploads whose length is not known yet: their size is the bytes that were announced so far. */
export async function deferredLengths(schema: SchemaModule): Promise<void> {
  await schema.alterTable('uploads').addColumn('length_deferred', 'integer').execute()
}
