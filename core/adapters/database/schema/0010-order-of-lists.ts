import { sql, type SchemaModule } from 'kysely'
import type { Engine } from './tables.ts'

/** Columns that lists are filtered by before they are sorted, and the former index for each. */
const lists = [
  { by: [], before: 'deposits_by_hidden_updated_id' },
  { by: ['status'], before: 'deposits_by_hidden_status_updated_id' },
  { by: ['owner'], before: 'deposits_by_owner_hidden_updated_id' },
  { by: ['owner', 'status'], before: 'deposits_by_owner_hidden_status_updated_id' },
] as const

/**
 * PostgreSQL does not take a column that `is null` for a constant: for each list it sorted all that
 * is shown, where SQLite reads the first rows of an index.
 */
export async function orderOfLists(schema: SchemaModule, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  for (const { by, before } of lists) {
    await schema.dropIndex(before).execute()
    await schema
      .createIndex(['deposits_shown_by', ...by, 'updated_id'].join('_'))
      .on('deposits')
      .columns([...by, 'updated desc', 'id'])
      .where(sql.ref('hidden'), 'is', null)
      .execute()
  }
}
