import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Tables, Engine } from './tables.ts'

/**
 * With whom deposits are shared: by a role, or by a link. `deposit_people` is made of the columns of
 * `deposits`: those who find a deposit in their lists beside its first owner.
 */
export async function people(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema.alterTable('deposits').addColumn('people', 'text').execute()
  await schema.alterTable('deposits').addColumn('offer', 'text').execute()
  await createPeople(schema)
  await createLinks(schema)
  await schema
    .createTable('invitations')
    .addColumn('email', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().unique())
    .addColumn('created', 'text', (column) => column.notNull())
    .execute()
  const owners =
    engine === 'sqlite'
      ? sql`json_each(deposits.owners) as each`
      : sql`jsonb_array_elements_text(deposits.owners::jsonb) as each(value)`
  await sql`insert into deposit_people (user_id, deposit_id, pid_type, status, updated)
    select distinct each.value, deposits.id, deposits.pid_type, deposits.status, deposits.updated from deposits, ${owners}
    where each.value <> owner and hidden is null`.execute(db)
}

async function createPeople(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('deposit_people')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('pid_type', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('updated', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('deposit_people_primary', ['deposit_id', 'user_id'])
    .execute()
  for (const by of [['user_id'], ['user_id', 'status']]) {
    await schema
      .createIndex(`deposit_people_by_${by.join('_')}_updated`)
      .on('deposit_people')
      .columns([...by, 'updated desc', 'deposit_id'])
      .execute()
  }
}

async function createLinks(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('links')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('deposit_id', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('anonymous', 'integer', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('expires', 'text', (column) => column.notNull())
    .addColumn('revoked', 'text')
    .execute()
  await schema.createIndex('links_by_deposit').on('links').columns(['deposit_id']).execute()
}
