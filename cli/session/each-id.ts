import { advice } from '../advice.ts'
import { RehearsalEnd } from '../client/rehearsal.ts'
import type { CliContext } from './context.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { Declined, Failure, isInterruption } from '../failure.ts'

/** The outcome for one of several ids. */
type Outcome<T> = { readonly id: string; readonly result: T } | FailedId

interface FailedId {
  readonly id: string
  readonly failure: Failure
}

/** The outcome for all ids of a command. */
export interface Each<T> {
  /** Results of those that succeeded, in the order of the ids. */
  readonly results: readonly T[]
  /** For `--json`: one result as it is; several as a list, a failure as `{id, error}`. */
  readonly body: (toBody: (result: T) => unknown) => Promise<unknown>
}

/** After these, every other id would fail too. */
const fatal: ReadonlySet<ExitCode> = new Set([
  exitCodes.signInFirst,
  exitCodes.unreachable,
  exitCodes.interrupted,
])

/**
 * Runs `work` for each id, one after another. A failed one is reported, and the command ends with
 * {@link exitCodes.someFailed}; a failure that every other id would share ends it at once and names
 * the ids that are done and those that were not reached.
 */
export async function forEachId<T>(
  context: CliContext,
  ids: readonly string[],
  work: (id: string) => Promise<T>,
): Promise<Each<T>> {
  const distinct = [...new Set(ids)]
  const outcomes: Outcome<T>[] = []
  const rehearsed: string[] = []
  for (const id of distinct) {
    try {
      outcomes.push({ id, result: await work(id) })
    } catch (error) {
      const failure = isInterruption(error) ? interruptedAt(id, error) : error
      if (error instanceof RehearsalEnd) rehearsed.push(error.tried)
      else if (distinct.length === 1 || !(failure instanceof Failure)) throw error
      else if (fatal.has(failure.exitCode)) throw midway(failure, distinct, outcomes)
      else outcomes.push(await failed(context, id, failure))
    }
  }
  if (rehearsed.length > 0) throw new RehearsalEnd(rehearsed.join(' and '))
  return toEach(distinct.length, outcomes)
}

function interruptedAt(id: string, cause: unknown): Failure {
  return new Failure(
    { tried: `finish with ${id}`, said: 'interrupted', next: advice.seeStatus(id) },
    { cause, exitCode: exitCodes.interrupted },
  )
}

async function failed(context: CliContext, id: string, failure: Failure): Promise<FailedId> {
  const { tell } = await import('../output/report.ts')
  await tell(context.streams, failure instanceof Declined ? failure.of(id) : failure)
  context.end(exitCodes.someFailed)
  return { id, failure }
}

function midway<T>(
  cause: Failure,
  ids: readonly string[],
  outcomes: readonly Outcome<T>[],
): Failure {
  const { tried, said, next, exitCode } = cause
  const done = outcomes.flatMap((one) => ('result' in one ? [one.id] : [])).join(' ')
  const left = ids.slice(outcomes.length + 1).join(' ')
  const notes = [said, done && `done: ${done}`, left && `not reached: ${left}`]
  return new Failure({ tried, said: notes.filter(Boolean).join('; '), next }, { cause, exitCode })
}

function toEach<T>(number: number, outcomes: readonly Outcome<T>[]): Each<T> {
  const results = outcomes.flatMap((one) => ('result' in one ? [one.result] : []))
  return {
    results,
    body: async (toBody) => {
      const { toErrorBody } = await import('../output/report.ts')
      const bodies = outcomes.map((one) =>
        'result' in one ? toBody(one.result) : { id: one.id, error: toErrorBody(one.failure) },
      )
      return number === 1 ? bodies[0] : bodies
    },
  }
}
