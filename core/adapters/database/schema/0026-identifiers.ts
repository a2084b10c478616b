import type { SchemaModule } from 'kysely'

/**
 * Identifiers from providers, such as DOIs; which of them a worker has to look at; and which
 * providers are left alone. Times are of daemons, whose clocks may differ.
 */
export async function identifiers(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('identifiers')
    .addColumn('value', 'text', (column) => column.primaryKey())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('scheme', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('object', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('message', 'text')
    .addColumn('field', 'text')
    .addColumn('registered', 'text')
    .addColumn('updated', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createIndex('identifiers_by_subject')
    .unique()
    .on('identifiers')
    .columns(['subject', 'provider'])
    .execute()
  await schema
    .createIndex('identifiers_by_deposit')
    .on('identifiers')
    .column('deposit_id')
    .execute()
  await schema
    .createIndex('identifiers_by_status')
    .on('identifiers')
    .columns(['status', 'value'])
    .execute()
  await schema
    .createTable('identifier_outbox')
    .addColumn('value', 'text', (column) => column.primaryKey())
    .addColumn('change', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('unsure', 'integer', (column) => column.notNull())
    .addColumn('due', 'text', (column) => column.notNull())
    .addColumn('holder', 'text')
    .addColumn('held_until', 'text')
    .execute()
  await schema
    .createIndex('identifier_outbox_by_due')
    .on('identifier_outbox')
    .column('due')
    .execute()
  await schema
    .createTable('identifier_pauses')
    .addColumn('provider', 'text', (column) => column.primaryKey())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('since', 'text', (column) => column.notNull())
    .addColumn('until', 'text')
    .execute()
}
