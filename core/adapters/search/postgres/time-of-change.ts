import type { FieldPath } from '../../../search/ast.ts'
import type { Clause, ValueRange } from '../query-plan.ts'
import { inRun } from './run-clause.ts'

/**
 * The field `_updated` of a deposit, which each change of its files changes. It is in no index of its
 * own and no term, so that such a change writes one column of one row: a query looks at the column.
 */
export function isTimeOfChange(table: string, field: FieldPath | undefined): boolean {
  return table === 'search_deposits' && field?.length === 1 && field[0] === '_updated'
}

/** The words of the time as `wordsOf` tells them: it is ISO 8601. */
const run = "(' ' || regexp_replace(lower(updated), '[^0-9a-z]+', ' ', 'g') || ' ')"

/** @param words that follow each other, at each place one of several */
export function timeHasWords(words: readonly (readonly string[])[], isPrefix: boolean): Clause {
  return inRun(run, words, isPrefix)
}

/** What a time in the columns can be: their texts have four digits of a year. */
const first = Date.parse('0000-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** By the index that lists of deposits are in the order of. */
export function timeIsWithin({ kind, ends }: ValueRange): Clause {
  if (kind !== 'date') return { sql: 'false', values: [] }
  const used = ends.flatMap(({ operator, value }) =>
    value === undefined ? [] : [{ sql: ` AND updated ${operator} ?`, value: toText(value) }],
  )
  const where = used.map(({ sql }) => sql).join('')
  return {
    sql: `id IN (SELECT id FROM deposits WHERE hidden IS NULL${where})`,
    values: used.map(({ value }) => value),
  }
}

function toText(ms: number): string {
  return new Date(Math.min(Math.max(ms, first), last)).toISOString()
}
