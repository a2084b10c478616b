import type { SchemaModule } from 'kysely'

/** The token with which another one was made: it ends with it. */
export async function parentsOfTokens(schema: SchemaModule): Promise<void> {
  await schema.alterTable('tokens').addColumn('parent_id', 'text').execute()
  await schema.createIndex('tokens_by_parent_id').on('tokens').column('parent_id').execute()
}
