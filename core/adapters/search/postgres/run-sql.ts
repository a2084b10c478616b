import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from '../../database/schema/tables.ts'
import type { Clause } from '../query-plan.ts'

/** Runs SQL whose parameters are written `?`, which stands for nothing else in ours. */
export async function runSql<Row>(
  db: Kysely<Tables>,
  { sql, values }: Clause,
): Promise<readonly Row[]> {
  let number = 0
  const numbered = sql.replaceAll('?', () => `$${(number += 1)}`)
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(numbered, [...values]))
  return rows
}
