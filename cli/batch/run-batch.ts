import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import type { PreparedRow } from './prepare-rows.ts'
import { isDone, runRow, type BatchOptions } from './run-row.ts'

/** What became of a row. */
export interface Outcome {
  readonly row: number
  readonly status: 'draft' | 'published' | 'already done' | 'failed'
  readonly id: string | null
  /** Where the record is. */
  readonly url: string | null
  /** Why it failed. */
  readonly message: string | null
}

/** No other row would fare better. */
const fatal = new Set<ExitCode>([exitCodes.signInFirst, exitCodes.unreachable])

/**
 * Makes the deposits of all rows, several at once. A row that fails does not hold up the others;
 * where the server is gone or knows nobody, the batch ends.
 *
 * @param tell hears of each row when it is through
 * @returns in the order of the rows
 */
export async function runBatch(
  options: BatchOptions,
  rows: readonly PreparedRow[],
  { jobs, tell }: { readonly jobs: number; readonly tell: (outcome: Outcome) => void },
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const queue = rows.values()
  let isOver = false
  async function work(): Promise<void> {
    for (const row of queue) {
      if (isOver) return
      const outcome = await settle(options, row)
      outcomes.push(outcome)
      tell(outcome)
    }
  }
  const workers = Array.from({ length: jobs }, () =>
    work().catch((error: unknown) => {
      isOver = true
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return outcomes.toSorted((a, b) => a.row - b.row)
}

async function settle(options: BatchOptions, prepared: PreparedRow): Promise<Outcome> {
  const { identity, number: row } = prepared.row
  const { journal, publish } = options
  const nothing = { row, id: null, url: null, message: null }
  const entry = journal.find(identity)
  if (isDone(entry, publish)) return { ...nothing, status: 'already done', id: entry?.id ?? null }
  try {
    const deposit = await runRow(options, prepared)
    const url = (publish ? recordUrl(deposit) : undefined) ?? null
    return { ...nothing, status: publish ? 'published' : 'draft', id: deposit.id, url }
  } catch (error) {
    if (!(error instanceof Failure) || fatal.has(error.exitCode)) throw error
    const id = journal.find(identity)?.id ?? null
    return { ...nothing, status: 'failed', id, message: `could not ${error.tried}: ${error.said}` }
  }
}
