import type { SchemaModule } from 'kysely'

/**
 * When a revision was made, where `updated` tells of a later change beside it, such as the next
 * version; null where that is the same.
 */
export async function timesOfRevisions(schema: SchemaModule): Promise<void> {
  await schema.alterTable('record_revisions').addColumn('made', 'text').execute()
}
