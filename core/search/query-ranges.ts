import type { Bound, ExistsQuery, FieldPath, RangeQuery } from './ast.ts'
import { parseDateSpan } from './dates.ts'
import type { QueryReader } from './query-reader.ts'

const decimal = /^[+-]?\d+(?:\.\d+)?$/

/** Takes `[a TO b]`, either end in square brackets (included) or braces (not included). */
export function readRange(reader: QueryReader, field: FieldPath): RangeQuery | ExistsQuery {
  const start = reader.offset
  const opening = reader.takeMatch(/[[{]/uy)
  const from = readBound(reader, opening === '[')
  reader.skipSpace()
  if (reader.takeMatch(/TO(?=\s)/uy) === undefined) {
    reader.fail(reader.atEnd ? 'The range has no end.' : 'A range is written [a TO b].', start)
  }
  const to = readBound(reader, true)
  reader.skipSpace()
  const closing = reader.takeMatch(/[\]}]/uy)
  if (closing === undefined) reader.fail('The range is not closed.', start)
  return toRange(field, from, to && { ...to, inclusive: closing === ']' })
}

/** Takes `>a`, `>=a`, `<a` or `<=a`. */
export function readComparison(reader: QueryReader, field: FieldPath): RangeQuery | ExistsQuery {
  const operator = reader.takeMatch(/[<>]=?/uy) ?? '>'
  const bound = readBound(reader, operator.endsWith('='))
  return operator.startsWith('>') ? toRange(field, bound) : toRange(field, undefined, bound)
}

/** A range open at both ends asks for any value at all. */
function toRange(field: FieldPath, from?: Bound, to?: Bound): RangeQuery | ExistsQuery {
  if (!from && !to) return { type: 'exists', field }
  return { type: 'range', field, ...(from && { from }), ...(to && { to }) }
}

/** Undefined for the open end `*`. */
function readBound(reader: QueryReader, inclusive: boolean): Bound | undefined {
  reader.skipSpace()
  const start = reader.offset
  const quoted = reader.takeMatch(/"[^"]*"/uy)
  const text = quoted?.slice(1, -1) ?? reader.takeMatch(/[^\s\]})("]+/uy) ?? ''
  if (text === '*' && quoted === undefined) return undefined
  const date = parseDateSpan(text)
  const number = decimal.test(text) ? Number(text) : undefined
  if (!date && number === undefined) reader.fail('A date or a number comes here.', start)
  return { text, inclusive, ...(number !== undefined && { number }), ...(date && { date }) }
}
