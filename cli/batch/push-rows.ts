import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { startProgress } from '../output/progress.ts'
import type { OpenRemote } from '../remote/open-remote.ts'
import type { Flatten } from '../remote/port/flatten.ts'
import type { Copy } from '../remote/port/repository.ts'
import { RemoteFailure } from '../remote/port/remote-failure.ts'
import { DiffersFromRecord, isLevel, shownAddress, type Plan } from '../remote/push-plan.ts'
import { Push } from '../remote/push.ts'
import { fromDisk } from '../remote/source.ts'
import type { CliContext } from '../session/context.ts'
import { journalOfRow } from './pushed-before.ts'
import { refuseRows, type PreparedRow } from './prepare-rows.ts'
import type { Rehearsed } from './rehearse-row.ts'
import { describeRow, keyOf, type Row, type RowFault } from './row.ts'
import { findTwins } from './twins.ts'
import { sayFailure, settleAll, type BatchRun, type Outcome } from './run-batch.ts'

export interface PushRowsOptions {
  readonly context: CliContext
  readonly remote: OpenRemote
  /** The folder of the journals: one for each row. */
  readonly journals: string
  readonly publish: boolean
  /** Changed rows of records become new versions. */
  readonly update: boolean
  readonly flatten: Flatten | undefined
  /** Records or drafts there that rows continue, as the user named them. */
  readonly continues: ReadonlyMap<Row, string>
  readonly retries: number | undefined
  /** The command line, for advice. */
  readonly command: string
}

/** A row, and what a push would do with it. */
export interface PlannedRow extends PreparedRow, Rehearsed {
  /** Address of the record or draft. */
  readonly url: string | null
}

/**
 * Plans all rows, one after another. Nothing is changed.
 *
 * @throws {Failure} the repository would refuse some rows: every reason
 */
export async function planRows(
  options: PushRowsOptions,
  rows: readonly PreparedRow[],
): Promise<readonly PlannedRow[]> {
  const planned: PlannedRow[] = []
  const faults: RowFault[] = []
  for (const prepared of rows) {
    try {
      await using pushing = await begin(options, prepared)
      const plan = await pushing.plan()
      pushing.requireAccepted(plan)
      planned.push({ ...prepared, ...rehearsed(options, plan) })
    } catch (error) {
      if (error instanceof DiffersFromRecord) {
        const message = `${error.said}; ${advice.updateRow()}`
        planned.push({ ...prepared, would: 'leave changed', ...placeOf(error.record), message })
      } else if (isOfRow(error)) faults.push({ row: prepared.row, failure: withAdvice(error) })
      else throw error
    }
  }
  if (options.publish) faults.push(...twinsAmong(planned))
  if (faults.length > 0) throw refuseRows(faults, rows.length)
  return planned
}

/** Rows that are probably one row twice, and would make a draft each. */
export function twinsAmong(planned: readonly PlannedRow[]): readonly RowFault[] {
  const made = new Set(planned.filter(({ would }) => would === 'make').map(({ row }) => row))
  return findTwins(planned, (row) => !made.has(row))
}

/** Other rows may be refused as well; a repository that cannot be asked ends the batch. */
function isOfRow(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  if (error.faults.length > 0) return true
  const { exitCode } = error
  const isRefused = exitCode === exitCodes.refused || exitCode === exitCodes.notFound
  return isRefused && !(error instanceof RemoteFailure)
}

/** What is told of all rows has one advice, so each says its own. */
function withAdvice(failure: Failure): Failure {
  const { tried, said, next, exitCode, faults, cause } = failure
  if (faults.length > 0) return failure
  const own = [{ field: '', message: `${said}; ${next}` }]
  return new Failure({ tried, said, next }, { exitCode, cause, faults: own })
}

/** Pushes all rows, as {@link runBatch} makes deposits of them. */
export async function pushRows(
  options: PushRowsOptions & Pick<Parameters<typeof settleAll>[0], 'jobs' | 'tell'>,
  rows: readonly PlannedRow[],
): Promise<BatchRun> {
  const planned = new Map<Row, PlannedRow>(rows.map((each) => [each.row, each]))
  const settle = async (prepared: PreparedRow): Promise<Outcome> => {
    const row = planned.get(prepared.row)
    if (row?.would === 'keep') return outcomeOf(row, 'already done', row)
    if (row?.would === 'leave changed')
      return { ...outcomeOf(prepared, 'changed', row), message: row.message }
    return push(options, prepared)
  }
  return settleAll(options, rows, settle, (row) => {
    const found = planned.get(row)
    return outcomeOf({ row }, 'not done', found)
  })
}

async function push(options: PushRowsOptions, prepared: PreparedRow): Promise<Outcome> {
  let copy: Copy | undefined
  const told = (status: Outcome['status']): Outcome => outcomeOf(prepared, status, placeOf(copy))
  try {
    await using pushing = await begin(options, prepared)
    const plan = await pushing.plan()
    pushing.requireAccepted(plan)
    copy = plan.begins === 'nothing' ? plan.found : undefined
    using progress = await startProgress(options.context.streams, quietly, true)
    copy = await pushing.carryOut(plan, progress)
    if (options.publish) copy = await pushing.publish(copy, plan)
    const done = options.publish ? 'published' : 'draft'
    const changed = { version: 'new version', correction: 'updated' } as const
    return told(
      plan.begins === 'version' || plan.begins === 'correction' ? changed[plan.begins] : done,
    )
  } catch (error) {
    const message = sayFailure(error)
    return { ...told('failed'), message }
  }
}

async function begin(
  options: PushRowsOptions,
  { row, metadata, plan }: PreparedRow,
): Promise<Push> {
  const { context, remote, journals, publish, update: newVersion } = options
  const { flatten, retries, command, continues } = options
  const named = { shown: describeRow(row), ...journalOfRow(row, journals) }
  const source = await fromDisk(named, metadata, plan.files)
  const how = { publish, newVersion, corrects: newVersion, flatten, retries, command }
  const ofRow = { of: continues.get(row), row: keyOf(row) }
  return Push.begin(context, source, remote, { ...how, ...ofRow })
}

function rehearsed({ publish }: PushRowsOptions, plan: Plan): Omit<PlannedRow, keyof PreparedRow> {
  const { begins, found, lost } = plan
  const fields = [...new Set(lost.map(({ field }) => field))].join(', ')
  const message = fields === '' ? null : `not sent: ${fields}`
  const there = { ...placeOf(found), message }
  if (begins === 'draft') return { would: 'make', ...there }
  if (begins === 'version') return { would: 'make a new version', ...there }
  if (begins === 'correction') return { would: 'update', ...there }
  const isDone = isLevel(plan) && (found?.status === 'published' || !publish)
  return { would: isDone ? 'keep' : 'finish', ...there }
}

/** A row is told as a whole. */
const quietly = { verb: 'Sending', files: 0, bytes: 0 }

function outcomeOf(
  { row }: Pick<PreparedRow, 'row'>,
  status: Outcome['status'],
  { id, url }: Pick<Outcome, 'id' | 'url'> = placeOf(undefined),
): Outcome {
  return { row, status, id, url, message: null }
}

function placeOf(copy: Copy | undefined): Pick<Outcome, 'id' | 'url'> {
  return { id: copy?.id ?? null, url: copy ? shownAddress(copy) : null }
}
