import type { SchemaModule } from 'kysely'

/** Uploads that arrive in pieces, answers to requests that may come again, and who uses how much. */
export async function uploads(schema: SchemaModule): Promise<void> {
  await createUploads(schema)
  await createAnswers(schema)
  await createUsage(schema)
}

async function createUploads(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('replaces', 'integer', (column) => column.notNull())
    .addColumn('checksum', 'text')
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('finished', 'text')
    .execute()
  await schema
    .createIndex('uploads_by_deposit')
    .on('uploads')
    .columns(['deposit_id', 'finished', 'created'])
    .execute()
  await schema
    .createIndex('uploads_by_owner')
    .on('uploads')
    .columns(['owner', 'finished', 'size'])
    .execute()
}

async function createAnswers(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('answers')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('answers_primary', ['account_id', 'key'])
    .execute()
  await schema.createIndex('answers_by_created').on('answers').column('created').execute()
}

async function createUsage(schema: SchemaModule): Promise<void> {
  await schema.alterTable('blobs').addColumn('owner', 'text').execute()
  await schema
    .createTable('usage')
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('byte_count', 'bigint', (column) => column.notNull())
    .execute()
}
