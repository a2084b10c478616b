import { PostgresAdapter, sql, type Kysely } from 'kysely'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type { DepositReader } from '../../ports/deposits.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'

/** Numbers asked for at once. */
const batchSize = 500

export function numberReader(
  db: Kysely<Tables>,
): Pick<DepositReader, 'numbersOf' | 'findNumbered' | 'firstNumbers'> {
  const numbered = prepared(db, (number: number) =>
    db.selectFrom('numbers').select('deposit_id').where('number', '=', number),
  )
  const ofDeposits = prepared(db, (...ids: readonly string[]) =>
    db.selectFrom('numbers').selectAll().where('deposit_id', 'in', ids),
  )
  return {
    numbersOf: async (ids) => {
      const found = new Map<DepositId, number>()
      for (let start = 0; start < ids.length; start += batchSize) {
        const some = ids.slice(start, start + batchSize)
        for (const { number, deposit_id: id } of await ofDeposits(...some)) {
          found.set(id as DepositId, Number(number))
        }
      }
      return found
    },
    findNumbered: async (number) => {
      const [row] = await numbered(number)
      return row && (row.deposit_id as DepositId)
    },
    firstNumbers: async (concepts) => {
      if (concepts.length === 0) return new Map()
      const rows = await db
        .selectFrom('versions')
        .innerJoin('numbers', 'numbers.deposit_id', 'versions.deposit_id')
        .select((row) => ['concept', row.fn.min('numbers.number').as('first')])
        .where('concept', 'in', concepts)
        .groupBy('concept')
        .execute()
      return new Map(rows.map(({ concept, first }) => [concept, Number(first)]))
    },
  }
}

/** Gives a new deposit the next number. */
export function numberGiver(db: Kysely<Tables>): (id: string) => Promise<void> {
  const insert = preparedInsert(db, (row: { readonly deposit_id: string }) =>
    db.insertInto('numbers').values(row),
  )
  return (id) => insert({ deposit_id: id })
}

/** Gives a deposit the number that it had, or another one where that is taken. */
export async function restoreNumber(
  db: Kysely<Tables>,
  id: string,
  number: number | undefined,
): Promise<void> {
  const taken =
    number === undefined ||
    (await db
      .selectFrom('numbers')
      .select('number')
      .where('number', '=', number)
      .executeTakeFirst()) !== undefined
  const row = { deposit_id: id, ...(!taken && { number }) }
  await db.insertInto('numbers').values(row).execute()
  if (!taken) await continueNumbers(db)
}

/** Lets the next number follow the highest one: PostgreSQL counts them apart from the rows. */
export async function continueNumbers(db: Kysely<Tables>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`select setval(pg_get_serial_sequence('numbers', 'number'),
    (select max(number) from numbers)) from numbers limit 1`.execute(db)
}
