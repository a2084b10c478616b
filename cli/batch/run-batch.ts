import { inParallel } from '../../core/base/in-parallel.ts'
import { isOfOwnQuota } from '../../core/contract/usage.ts'
import { advice } from '../advice.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import type { Entry } from './journal.ts'
import type { PreparedRow } from './prepare-rows.ts'
import { describeRow, type Row } from './row.ts'
import {
  isChanged,
  isDone,
  returnToFormer,
  runRow,
  updateRow,
  type BatchOptions,
} from './run-row.ts'

/** The outcome of a row. */
export interface Outcome {
  readonly row: Row
  readonly status:
    | 'draft'
    | 'published'
    | 'updated'
    | 'new version'
    | 'already done'
    | 'changed'
    | 'failed'
    | 'not done'
  readonly id: string | null
  /** Address of the record. */
  readonly url: string | null
  /** Why it failed, or a remark. */
  readonly message: string | null
}

interface RunOptions extends BatchOptions, Running {
  /** Updates the deposits of changed rows. */
  readonly update: boolean
}

interface Running {
  /** Rows worked on at once. */
  readonly jobs: number
  /** Called when a row is finished. */
  readonly tell: (outcome: Outcome) => void
}

/** The outcome of a batch. */
export interface BatchRun {
  /** In the order of the rows. */
  readonly outcomes: readonly Outcome[]
  /** The failure that ended it early. */
  readonly end?: unknown
}

/** After these, every other row would fail too. */
const fatal: ReadonlySet<ExitCode> = new Set<ExitCode>([
  exitCodes.signInFirst,
  exitCodes.unreachable,
  exitCodes.interrupted,
])

/**
 * Makes the deposits of all rows in parallel. A failed row does not stop the others, but the batch
 * ends when the server is gone, refuses the sign-in, or has no room in the quota, or when the user
 * interrupts.
 */
export async function runBatch(
  options: RunOptions,
  rows: readonly PreparedRow[],
): Promise<BatchRun> {
  const undone = (row: Row, why?: string): Outcome => ({
    ...toOutcome(row, 'not done', options.journal.find(row.identity)),
    message: why ?? null,
  })
  return settleAll(options, rows, (prepared) => settle(options, prepared), undone)
}

/** @param undone the outcome of a row that was not begun, or not finished, and why, where it met the end */
export async function settleAll(
  { jobs, tell }: Running,
  rows: readonly PreparedRow[],
  settleOne: (prepared: PreparedRow) => Promise<Outcome>,
  undone: (row: Row, why?: string) => Outcome,
): Promise<BatchRun> {
  const outcomes = new Map<Row, Outcome>()
  const without = new Map<Row, string>()
  const ended = await inParallel(rows, jobs, () => async (prepared) => {
    const { row } = prepared
    const outcome = await settleOne(prepared).catch((error: unknown) => {
      if (!(error instanceof Failure) || !isWithoutRoom(error)) throw error
      without.set(row, `could not ${error.tried}: there is no room in the quota`)
      throw ofRow(error, row)
    })
    outcomes.set(prepared.row, outcome)
    tell(outcome)
  }).then(
    () => ({}),
    (end: unknown) => ({ end }),
  )
  const all = rows.map(({ row }) => outcomes.get(row) ?? undone(row, without.get(row)))
  return { outcomes: all, ...ended }
}

async function settle(options: RunOptions, prepared: PreparedRow): Promise<Outcome> {
  const { row } = prepared
  const entry = options.journal.find(row.identity)
  try {
    if (entry !== undefined && (await returnToFormer(options, prepared, entry))) {
      return toOutcome(row, 'already done', options.journal.find(row.identity))
    }
    const outcome = isDone(entry, options.publish)
      ? await revisit(options, prepared, entry)
      : toOutcome(row, options.publish ? 'published' : 'draft', await make(options, prepared))
    return markNewVersion(outcome, entry)
  } catch (error) {
    const message = sayFailure(error)
    return { ...toOutcome(row, 'failed', options.journal.find(row.identity)), message }
  }
}

/**
 * For the row that failed.
 *
 * @throws what every other row would fail with, too
 */
export function sayFailure(error: unknown): string {
  if (!(error instanceof Failure) || fatal.has(error.exitCode) || isWithoutRoom(error)) throw error
  return `could not ${error.tried}: ${error.said}; next: ${error.next}`
}

/** What ended the batch, with the row that met it. */
function ofRow(cause: Failure, row: Row): Failure {
  const { tried, said, next, exitCode, faults, listed } = cause
  const lines = { tried: `${tried} of ${describeRow(row)}`, said, next }
  return new Failure(lines, { cause, exitCode, faults, listed })
}

/** Not of a limit that a single deposit has. */
function isWithoutRoom({ problem }: Failure): boolean {
  return problem?.code === 'quota_exceeded' && isOfOwnQuota(problem.message)
}

async function make(options: RunOptions, prepared: PreparedRow): Promise<Entry | undefined> {
  await runRow(options, prepared)
  return options.journal.find(prepared.row.identity)
}

/** A row that was done before. */
async function revisit(
  options: RunOptions,
  prepared: PreparedRow,
  entry: Entry | undefined,
): Promise<Outcome> {
  const { row } = prepared
  const { client, journal, update } = options
  if (entry?.id === undefined) return toOutcome(row, 'already done', entry)
  const made = { ...entry, id: entry.id }
  if (!isChanged(made, prepared)) {
    if (made.done === 'published' && made.url === undefined) {
      const url = recordUrl(await client.read(made.id))
      if (url !== undefined) await journal.note({ ...made, url })
    }
    return toOutcome(row, 'already done', journal.find(row.identity))
  }
  if (update) {
    await updateRow(options, prepared, made)
    return toOutcome(row, 'updated', journal.find(row.identity))
  }
  const message = `the row was changed since; ${advice.updateRow()}`
  return { ...toOutcome(row, 'changed', made), message }
}

/** @param before of the journal, when the row was begun */
function markNewVersion(outcome: Outcome, before: Entry | undefined): Outcome {
  const { status, id } = outcome
  const former = before?.former?.id ?? (before?.done === 'published' ? before.id : undefined)
  const isDone = status === 'published' || status === 'updated'
  if (!isDone || former === undefined || former === id) return outcome
  const message = `the next version of ${former}; its record has a new address`
  return { ...outcome, status: 'new version', message }
}

export function toOutcome(row: Row, status: Outcome['status'], entry: Entry | undefined): Outcome {
  return { row, status, id: entry?.id ?? null, url: entry?.url ?? null, message: null }
}
