import { sql, type SchemaModule } from 'kysely'
import type { Engine } from './tables.ts'

/** The search index on PostgreSQL: a row for each document, changed in the same transaction. */
export async function search(schema: SchemaModule, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  for (const kind of ['deposits', 'records'] as const) {
    await createDocuments(schema, `search_${kind}`)
    await createValues(schema, `search_${kind}_values`)
  }
  await schema
    .createTable('search_words')
    .addColumn('word', 'text', (column) => column.primaryKey())
    .execute()
  await createChanges(schema)
  await schema
    .createTable('search_state')
    .addColumn('kind', 'text', (column) => column.primaryKey())
    .execute()
}

async function createDocuments(schema: SchemaModule, table: string): Promise<void> {
  await schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('owners', sql`text[]`, (column) => column.notNull())
    .addColumn('schema_path', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text', (column) => column.notNull())
    .addColumn('terms', sql`tsvector`)
    .addColumn('runs', 'text')
    .execute()
  const index = (name: string) => schema.createIndex(`${table}_${name}`).on(table)
  await index('by_terms').using('gin').column('terms').execute()
  await index('by_owners').using('gin').column('owners').execute()
  await index('by_schema_path').column('schema_path').execute()
  await index('long').column('id').where(sql.ref('runs'), 'is not', null).execute()
}

async function createValues(schema: SchemaModule, table: string): Promise<void> {
  await schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('field', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('value', 'double precision', (column) => column.notNull())
    .execute()
  const index = (name: string) => schema.createIndex(`${table}_${name}`).on(table)
  await index('by_id').column('id').execute()
  await index('by_value').columns(['field', 'kind', 'value', 'id']).execute()
}

/** Which transaction changed a document last: what an index elsewhere has to look at again. */
async function createChanges(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('search_changes')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('changed', sql`xid8`, (column) => column.notNull())
    .addPrimaryKeyConstraint('search_changes_primary', ['kind', 'id'])
    .execute()
  await schema
    .createIndex('search_changes_by_changed')
    .on('search_changes')
    .column('changed')
    .execute()
}
