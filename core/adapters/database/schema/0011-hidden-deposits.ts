import type { SchemaModule } from 'kysely'
import type { Engine } from './tables.ts'

/**
 * The lists of PostgreSQL have indexes of what is shown (0010-order-of-lists.ts), so what is hidden
 * was looked for among all deposits, each hour.
 */
export async function hiddenDeposits(schema: SchemaModule, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  await schema
    .createIndex('deposits_hidden')
    .on('deposits')
    .column('hidden')
    .where('hidden', 'is not', null)
    .execute()
}
