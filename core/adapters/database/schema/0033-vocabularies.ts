import type { SchemaModule } from 'kysely'

/** Terms of vocabularies that operators load, the words they are found by, and which load is used. */
export async function vocabularies(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('vocabulary_loads')
    .addColumn('vocabulary', 'text', (column) => column.primaryKey())
    .addColumn('load', 'integer', (column) => column.notNull())
    .addColumn('terms', 'integer', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('loaded', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('terms')
    .addColumn('vocabulary', 'text', (column) => column.notNull())
    .addColumn('load', 'integer', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('terms_key', ['vocabulary', 'load', 'id'])
    .execute()
  await schema
    .createIndex('terms_by_title')
    .on('terms')
    .columns(['vocabulary', 'load', 'title'])
    .execute()
  await schema
    .createTable('term_words')
    .addColumn('vocabulary', 'text', (column) => column.notNull())
    .addColumn('load', 'integer', (column) => column.notNull())
    .addColumn('word', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('term_words_key', ['vocabulary', 'load', 'word', 'id'])
    .execute()
}
