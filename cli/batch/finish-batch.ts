import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, isInterruption } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import type { Streams } from '../output/streams.ts'
import type { CliContext } from '../session/context.ts'
import { isWell, summarize, toBody, toLine, toNote } from './outcome-lines.ts'
import type { ReportTable } from './report-table.ts'
import type { BatchRun, Outcome } from './run-batch.ts'

type Options = Parameters<typeof narrate>[1] & { readonly report?: string }

/** After a failure to write. */
export const kept = 'the deposits above are kept'

/** Tells of each row when it is finished. */
export function teller(streams: Streams, options: Options): (outcome: Outcome) => void {
  return (outcome) => {
    if (streams.hasEvents()) streams.event({ event: 'row', ...toBody(outcome) })
    else narrate(streams, options, toNote(outcome))
  }
}

/**
 * Prints the outcome of a batch, writes its report, and sets the exit status.
 *
 * @param command which resumes it
 * @throws {Failure} what ended the batch early, or kept the report from being written
 */
export async function finishBatch(
  context: CliContext,
  { outcomes, end }: BatchRun,
  { table, command }: { readonly table: ReportTable | undefined; readonly command: string },
  options: Options,
): Promise<void> {
  const { streams } = context
  if (end === undefined || outcomes.some(({ id }) => id !== null))
    report(context, outcomes, options)
  else narrate(streams, options, summarize(outcomes))
  const unwritten = await table?.write(outcomes, kept).then(
    () => narrate(streams, options, `Wrote ${options.report}`),
    (error: unknown) => error,
  )
  if (end !== undefined) throw ended(end, command)
  if (unwritten instanceof Error) throw unwritten
  if (outcomes.some(({ status }) => !isWell(status))) context.end(exitCodes.someFailed)
}

/** A terminal has shown each row when it was finished: the others and the failed ones are left. */
function report({ streams }: CliContext, outcomes: readonly Outcome[], options: Options): void {
  const isTold = streams.isErrTerminal && streams.isOutTerminal && !streams.hasEvents()
  narrate(streams, options, summarize(outcomes))
  print(streams, options, {
    body: outcomes.map(toBody),
    ids: outcomes.flatMap(({ id, status }) => (id !== null && isWell(status) ? [id] : [])),
    lines: () => outcomes.filter(({ status }) => !isTold || !isWell(status)).map(toLine),
  })
}

/** The failure that ended a batch, with the command that resumes it. */
export function ended(cause: unknown, command: string): unknown {
  if (isInterruption(cause)) {
    const next = advice.finishBatch(command)
    const lines = { tried: 'finish the batch', said: 'interrupted', next }
    return new Failure(lines, { cause, exitCode: exitCodes.interrupted })
  }
  if (!(cause instanceof Failure)) return cause
  const { tried, said, exitCode } = cause
  const next = advice.finishAfter(cause.next, command)
  return new Failure({ tried, said, next }, { cause, exitCode })
}
