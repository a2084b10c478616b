import type { SchemaModule } from 'kysely'

/** Entries of the embedded issuer, passphrases, clients, and users of an external issuer. */
export async function signIn(schema: SchemaModule): Promise<void> {
  await schema.alterTable('accounts').addColumn('issuer', 'text').execute()
  await schema.alterTable('accounts').addColumn('subject', 'text').execute()
  await schema
    .createIndex('accounts_by_issuer_subject')
    .on('accounts')
    .columns(['issuer', 'subject'])
    .unique()
    .execute()
  await schema
    .createTable('passphrases')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('hashed', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('clients')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .execute()
  await createEntries(schema)
}

async function createEntries(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('issuer_entries')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('user_code', 'text')
    .addColumn('consumed', 'integer')
    .addColumn('expires', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('issuer_entries_primary', ['kind', 'hash'])
    .execute()
  const index = (name: string) => schema.createIndex(name).on('issuer_entries')
  await index('issuer_entries_by_grant').column('grant_id').execute()
  await index('issuer_entries_by_user_code').column('user_code').unique().execute()
  await index('issuer_entries_by_expires').column('expires').execute()
}
