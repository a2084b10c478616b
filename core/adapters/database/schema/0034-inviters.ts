import type { SchemaModule } from 'kysely'
import { sql } from 'kysely'

/**
 * Who made an invitation, so that one user cannot make them without end; which deposits are offered;
 * and who could change a draft.
 */
export async function inviters(schema: SchemaModule): Promise<void> {
  await schema.alterTable('invitations').addColumn('invited_by', 'text').execute()
  await schema.alterTable('deposits').addColumn('former_editors', 'text').execute()
  await schema
    .createIndex('invitations_by_invited_by')
    .on('invitations')
    .columns(['invited_by'])
    .execute()
  await schema
    .createIndex('deposits_offered')
    .on('deposits')
    .columns(['id'])
    .where(sql.ref('offer'), 'is not', null)
    .execute()
}
