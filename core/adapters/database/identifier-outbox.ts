import {
  sql,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type Kysely,
  type SqlBool,
} from 'kysely'
import type { Horizon, IdentifierWriter } from '../../ports/identifiers.ts'
import { preparedChange, preparedInserts } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { IdentifierOutboxRow } from './schema/identifier-tables.ts'

/** Lets a worker look at identifiers; those that are reserved wait for their record. */
export function wantAgain(
  db: Kysely<Tables>,
  values: readonly string[],
  now: string,
): Promise<void> {
  return wanting(db)(values, now)
}

/** Values in one statement. */
export const batchSize = 500

/** {@link wantAgain}, with statements that are prepared. */
export function wanting(db: Kysely<Tables>): IdentifierWriter['want'] {
  const put = preparedInserts(db, (rows: readonly IdentifierOutboxRow[]) =>
    db
      .insertInto('identifier_outbox')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('value').doUpdateSet((row) => ({
          change: sql<number>`identifier_outbox.change + 1`,
          attempts: row.ref('excluded.attempts'),
          due: row.ref('excluded.due'),
        })),
      ),
  )
  const pending = { status: sql.lit('pending'), message: sql<null>`null`, field: sql<null>`null` }
  const mark = preparedChange(db, (updated: string, ...values: readonly string[]) =>
    db
      .updateTable('identifiers')
      .set({ ...pending, updated })
      .where('value', 'in', values),
  )
  return async (values, now) => {
    for (let start = 0; start < values.length; start += batchSize) {
      const some = values.slice(start, start + batchSize)
      await put(
        some.map((value) => ({ value, change: 1, attempts: 0, unsure: 0, due: now, ...free })),
      )
      await mark(now, ...some)
    }
  }
}

/** In the hands of no worker. */
export const free = { holder: null, held_until: null }

/**
 * As {@link wantAgain}, for all that a record and its concept have but those that are reserved.
 *
 * @param subject value of the record or concept
 */
export async function wantOf(db: Kysely<Tables>, subject: string): Promise<void> {
  const concepts = db.selectFrom('versions').select('concept').where('record', '=', subject)
  const subjects = (await concepts.execute()).map(({ concept }) => concept)
  const rows = await db
    .selectFrom('identifiers')
    .select('value')
    .where('status', '<>', 'reserved')
    .where('subject', 'in', [subject, ...subjects])
    .execute()
  const values = rows.map(({ value }) => value)
  await wantAgain(db, values, new Date().toISOString())
}

type Open = ExpressionBuilder<Tables, 'identifier_outbox'>
type Condition = ExpressionWrapper<Tables, 'identifier_outbox', SqlBool>
export type OutboxCondition = (row: Open) => Condition

export const isDue =
  (now: string, horizon: Horizon): OutboxCondition =>
  (row) =>
    row.or([row('due', '<=', now), isMisdated(horizon)(row)])

/** Put off to a time that no worker would have set. */
const isMisdated =
  (horizon: Horizon): OutboxCondition =>
  (row) =>
    row.or(misdated(horizon).map((isIt) => isIt(row)))

/** The same in parts, of which each is a range of an index. */
export const misdated = ({ latest, soon }: Horizon): readonly OutboxCondition[] => [
  (row) => row('due', '>', latest),
  // A literal, by which SQLite knows the index.
  (row) => row.and([row('attempts', '=', sql.lit(0)), row('due', '>', soon)]),
]

/** Given back, or held until a time that is over, or that no worker would have set. */
export const isFree =
  (now: string, { soon }: Horizon): OutboxCondition =>
  (row) =>
    row.or([row('holder', 'is', null), row('held_until', '<=', now), row('held_until', '>', soon)])
