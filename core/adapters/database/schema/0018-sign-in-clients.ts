import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Tables, Engine } from './tables.ts'

/**
 * Clients with which people sign in: they may have no secret and no owner. Accounts get a name, and
 * whether a claim of an external issuer made their user an administrator when last seen.
 */
export async function signInClients(
  schema: SchemaModule,
  _engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema.alterTable('accounts').addColumn('name', 'text').execute()
  await schema.alterTable('accounts').addColumn('claimed_admin', 'integer').execute()
  // SQLite cannot drop NOT NULL from a column.
  await schema
    .createTable('clients_next')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text')
    .addColumn('account_id', 'text', (column) => column.references('accounts.id'))
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('uses', 'text', (column) => column.notNull())
    .addColumn('redirect_uris', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .execute()
  await sql
    .raw(
      `INSERT INTO clients_next
       SELECT id, name, secret_hash, account_id, scopes, 'deposits', '', created FROM clients`,
    )
    .execute(db)
  await schema.dropTable('clients').execute()
  await schema.alterTable('clients_next').renameTo('clients').execute()
}
