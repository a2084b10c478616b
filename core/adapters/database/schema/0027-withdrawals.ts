import { sql, type SchemaModule } from 'kysely'

/** Why the record of a deposit was withdrawn; and which records are not listed, without a scan. */
export async function withdrawals(schema: SchemaModule): Promise<void> {
  await schema.alterTable('deposits').addColumn('withdrawal', 'text').execute()
  await schema.dropIndex('pids_moved').execute()
  await schema
    .createIndex('pids_unlisted')
    .on('pids')
    .columns(['pid_type', 'pid_value'])
    .where(sql<boolean>`status in ('M', 'D') and object_type = 'rec'`)
    .execute()
}
