import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { filesOf, type Row, type RowFault } from './row.ts'

/** Fields by which somebody who sends the same files twice tells them apart. */
const telling = ['version', 'language', 'doi'] as const

interface Described {
  readonly row: Row
  /** With those of its folder. */
  readonly metadata: Metadata
}

/**
 * Rows that are probably the same one twice: without a key, with the same files and title, and nothing
 * that tells them apart. Each would make a deposit.
 *
 * @param isBegun whether a row has its deposit already
 * @returns the fault of each row that would make one
 */
export function findTwins(
  rows: readonly Described[],
  isBegun: (row: Row) => boolean,
): readonly RowFault[] {
  const groups = Map.groupBy(rows, sameness)
  return [...groups].flatMap(([same, group]) => {
    if (same === undefined || group.length === 1) return []
    const numbers = group.map(({ row }) => row.number)
    const list = `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
    const said = `rows ${list} have the same files and the same title, and each would be a deposit of its own`
    const next = 'give each a `key` if that is meant, or remove one'
    const fresh = group.filter(({ row }) => !isBegun(row))
    return fresh.map(({ row }) => ({ row, failure: refusal(`${said}: ${next}`) }))
  })
}

/** Undefined where a row is told apart from all others. */
function sameness({ row, metadata }: Described): string | undefined {
  const files = filesOf(row)
  if (files === undefined) return undefined
  const { title } = metadata
  const name = typeof title === 'string' ? title.trim().toLowerCase() : (title ?? null)
  return JSON.stringify([files, name, ...telling.map((field) => metadata[field] ?? null)])
}

function refusal(message: string): Failure {
  const lines = { tried: 'send the row', said: message, next: advice.correctInput() }
  return new Failure(lines, { exitCode: exitCodes.usage, faults: [{ field: '', message }] })
}
