import type { SchemaModule } from 'kysely'

/**
 * The type of a deposit's identifier says which endpoint the deposit belongs to. The index has those
 * of further endpoints alone, so that it costs nothing where there are none.
 */
export async function furtherEndpoints(schema: SchemaModule): Promise<void> {
  await schema
    .alterTable('deposits')
    .addColumn('pid_type', 'text', (column) => column.notNull().defaultTo('depid'))
    .execute()
  await schema
    .createIndex('deposits_of_further_endpoints')
    .on('deposits')
    .columns(['pid_type', 'updated desc', 'id'])
    .where('pid_type', '<>', 'depid')
    .execute()
}
