import type { SchemaModule } from 'kysely'

/** The quota of a user that is another than that of all; bytes. */
export async function quotas(schema: SchemaModule): Promise<void> {
  await schema.alterTable('accounts').addColumn('quota', 'bigint').execute()
}
