import type { SchemaModule } from 'kysely'

/** Accounts get roles beside that of an administrator: granted ones, and those that claims gave. */
export async function accounts(schema: SchemaModule): Promise<void> {
  await schema.alterTable('accounts').addColumn('roles', 'text').execute()
  await schema.alterTable('accounts').addColumn('claimed_roles', 'text').execute()
}
