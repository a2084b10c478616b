import { sql, type SchemaModule } from 'kysely'
import type { Engine } from './tables.ts'

/**
 * Accounts get roles beside that of an administrator: granted ones, and those that claims gave. What
 * somebody did is kept in rows, whose ids begin with the time. Records that were withdrawn can be listed.
 */
export async function accounts(schema: SchemaModule, engine: Engine): Promise<void> {
  await schema.alterTable('accounts').addColumn('roles', 'text').execute()
  await schema.alterTable('accounts').addColumn('claimed_roles', 'text').execute()
  const audit = schema
    .createTable('audit')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('who', 'text')
    .addColumn('token', 'text')
    .addColumn('from_address', 'text')
    .addColumn('what', 'text', (column) => column.notNull())
    .addColumn('path', 'text')
    .addColumn('deposit_id', 'text')
    .addColumn('was', 'integer')
    .addColumn('revision', 'integer')
    .addColumn('object', 'text')
    .addColumn('files', 'text')
    .addColumn('status', 'integer')
    .addColumn('failed', 'text')
    .addColumn('request_id', 'text')
    .addColumn('times', 'integer')
  await (engine === 'sqlite' ? audit.modifyEnd(sql`without rowid`) : audit).execute()
  await schema.createIndex('audit_by_who').on('audit').columns(['who', 'id']).execute()
  await schema
    .createIndex('audit_by_deposit')
    .on('audit')
    .columns(['deposit_id', 'id'])
    .where(sql.ref('deposit_id'), 'is not', null)
    .execute()
  await schema
    .createIndex('deposits_withdrawn')
    .on('deposits')
    .column('updated')
    .where(sql.ref('withdrawal'), 'is not', null)
    .execute()
}
