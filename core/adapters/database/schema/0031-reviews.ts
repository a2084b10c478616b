import { sql, type SchemaModule } from 'kysely'

/**
 * Where the review of a deposit stands, with its comments. The drafts that wait are found oldest
 * first, all of them or those of an owner, without a scan.
 */
export async function reviews(schema: SchemaModule): Promise<void> {
  await schema.alterTable('deposits').addColumn('review', 'text').execute()
  await schema.alterTable('deposits').addColumn('submitted', 'text').execute()
  for (const by of [[], ['owner']]) {
    await schema
      .createIndex(['deposits_submitted', ...by].join('_by_'))
      .on('deposits')
      .columns([...by, 'submitted', 'id'])
      .where(sql.ref('submitted'), 'is not', null)
      .execute()
  }
  await schema
    .createTable('review_comments')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('action', 'text')
    .addColumn('revision', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('review_comments_by_deposit')
    .on('review_comments')
    .columns(['deposit_id', 'id'])
    .execute()
}
