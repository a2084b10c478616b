import { resolve } from 'node:path'
import { advice } from '../advice.ts'
import { askToPublish } from '../batch/ask-to-publish.ts'
import { finishBatch, teller } from '../batch/finish-batch.ts'
import { sayGroup, toPlanLine } from '../batch/outcome-lines.ts'
import { RefusedRows, type PreparedRow } from '../batch/prepare-rows.ts'
import { pushedBefore } from '../batch/pushed-before.ts'
import { planRows, pushRows, twinsAmong, type PlannedRow } from '../batch/push-rows.ts'
import { outcomesBefore, type ReportTable } from '../batch/report-table.ts'
import { keyOf, placeOf, type Row } from '../batch/row.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageFailure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import { openStored } from '../remote/open-remote.ts'
import { findRemote } from '../remote/remotes.ts'
import { requireAnswer } from '../session/confirm.ts'
import type { CliContext } from '../session/context.ts'
import type { Flatten } from '../remote/port/flatten.ts'
import type { CommonOptions } from './command.ts'

interface PushBatchOptions extends CommonOptions {
  readonly publish?: true
  readonly yes?: true
  readonly update?: true
  readonly delete?: true
  readonly jobs?: number
  readonly flatten?: Flatten
  readonly of?: readonly string[]
  readonly record?: string
  readonly report?: string
}

interface Batch {
  /** Name of the remote. */
  readonly to: string
  /** The command line, for advice. */
  readonly command: string
  readonly rows: readonly PreparedRow[]
  /** The folder of the journals. */
  readonly place: string
  readonly report: ReportTable | undefined
}

/** Rows pushed at once: most repositories count requests. */
const defaultJobs = 2

/** `deposit batch <file> --to <remote>`: a push for each row. */
export async function pushBatch(
  context: CliContext,
  { to, command, rows, place, report }: Batch,
  options: PushBatchOptions,
): Promise<void> {
  const { streams } = context
  const tried = `push the rows to ${to}`
  if (options.delete) {
    const said = 'with --to, files that are not in their rows are deleted from drafts anyway'
    throw new UsageFailure({ tried, said, next: advice.leaveOut('--delete') })
  }
  const found = await findRemote(context, to)
  requireAnswer(context, options, { tried, command })
  const record =
    options.record === undefined ? {} : { record: resolve(context.folder, options.record) }
  await using remote = await openStored(context, found, { ...options, ...record })
  const how = {
    context,
    remote,
    journals: place,
    publish: options.publish === true,
    update: options.update === true,
    flatten: options.flatten,
    continues: parseContinued(
      options.of ?? [],
      rows.map(({ row }) => row),
    ),
    retries: options.retries,
    command,
  }
  const all = rows.map(({ row }) => row)
  const before = await pushedBefore(context, { to, journals: place }, report ? all : [])
  const planned = await planRows(how, rows).catch(async (error: unknown) => {
    if (error instanceof RefusedRows && !options.dryRun)
      await report?.write(outcomesBefore(all, before, error.messages), 'nothing was sent')
    throw error
  })
  for (const line of new Set(twinsAmong(planned).map(({ failure }) => failure.said)))
    narrate(streams, options, `warning: ${line}`)
  if (options.dryRun) {
    tellPlanned(context, planned, options)
    return
  }
  await report?.write(outcomesBefore(all, before), 'nothing was sent')
  const isLeft = ({ would }: PlannedRow): boolean => would !== 'keep' && would !== 'leave changed'
  const left = options.publish ? planned.filter(isLeft).length : 0
  await askToPublish(context, to, left, options)
  const jobs = options.jobs ?? defaultJobs
  const run = await pushRows({ ...how, jobs, tell: teller(streams, options) }, planned)
  await finishBatch(context, run, { table: report, command }, options)
}

/**
 * `KEY=RECORD`, or with the number of a row that has no key.
 *
 * @throws {UsageFailure} no row has that key or number
 */
function parseContinued(named: readonly string[], rows: readonly Row[]): ReadonlyMap<Row, string> {
  const pairs = named.map((text) => {
    const [row] = rows
      .filter((each) => text.startsWith(`${keyOf(each)}=`))
      .toSorted((one, other) => keyOf(other).length - keyOf(one).length)
    const record = row && text.slice(keyOf(row).length + 1)
    if (row && record) return [row, record] as const
    const said = `it is ROW=RECORD, with the key of a row or its number, and not "${text}"`
    throw new UsageFailure({ tried: 'use --of', said, next: advice.correctOption('--of') })
  })
  return new Map(pairs)
}

function tellPlanned(
  context: CliContext,
  planned: readonly PlannedRow[],
  options: PushBatchOptions,
): void {
  const { streams } = context
  const groups = [...Map.groupBy(planned, ({ would }) => would)]
  const said = groups.map(([would, { length }]) => sayGroup(would, length))
  narrate(streams, options, `Would ${said.join(', ')}`)
  const body = planned.map(({ row, would, id, url, message, metadata, plan }) => ({
    ...placeOf(row),
    would,
    id,
    url,
    message,
    metadata,
    files: plan.files.map(({ key, size }) => ({ filename: key, filesize: size })),
  }))
  print(streams, options, { body, ids: [], lines: () => planned.map(toPlanLine) })
  if (groups.some(([would]) => would === 'leave changed')) context.end(exitCodes.someFailed)
}
