import { sql, type ExpressionBuilder } from 'kysely'
import type { Tables } from './schema/tables.ts'

/**
 * Says that a record changed without a revision of it, which keeps the time when it was made. A clock
 * that was set back makes no change look older than the one before it.
 *
 * @param now ISO 8601, UTC
 */
export function changedAt(row: ExpressionBuilder<Tables, 'record_revisions'>, now: string) {
  const isLater = row('updated', '<', now)
  return {
    made: row
      .case()
      .when(isLater)
      .then(sql<string>`coalesce(made, updated)`)
      .else(row.ref('made'))
      .end(),
    updated: row.case().when(isLater).then(now).else(row.ref('updated')).end(),
  }
}
