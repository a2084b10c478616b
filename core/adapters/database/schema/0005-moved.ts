import { sql } from 'kysely'
import type { SchemaModule } from 'kysely'

/** Which identifiers lead to another, so that no listing has to look at all of them. */
export async function moved(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('pids_moved')
    .on('pids')
    .columns(['pid_type', 'pid_value'])
    .where(sql.ref('status'), '=', sql.lit('M'))
    .execute()
}
