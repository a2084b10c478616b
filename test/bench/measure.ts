import type { Measured, NotMeasured, Row } from './results.ts'
import { endAllBelow } from './processes.ts'
import { median } from './statistics.ts'
import {
  isReached,
  valueOf,
  type Figure,
  type MakeRound,
  type Measurement,
  type Target,
} from './target.ts'
import { run } from './timing.ts'
import type { Workshop } from './workshop.ts'

export type Outcome = Row['outcome']

/** Makes the rounds of a measurement; a failure is reported and does not affect the others. */
export async function measure(
  measurement: Measurement,
  workshop: Workshop,
): Promise<(target: Target) => Outcome> {
  const reason = measurement.obstacle()
  if (reason !== undefined) return () => ({ reason, isFailure: false })
  try {
    const rounds = await roundsOf(measurement, workshop)
    return (target) => judge(target, rounds)
  } catch (error) {
    const failure: NotMeasured = { reason: messageOf(error), isFailure: true }
    return () => failure
  }
}

/** Preparations, a round or a curve that take longer count as hanging. */
const limitMinutes = 60

/** Ends the processes that `work` waits for when it takes too long, so that others can run. */
export async function withinLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  let isLate = false
  const end = (): void => {
    isLate = true
    endAllBelow()
  }
  const timer = setTimeout(end, limitMinutes * 60_000)
  try {
    return await work()
  } catch (error) {
    throw isLate ? new Error(`not over after ${limitMinutes} minutes`, { cause: error }) : error
  } finally {
    clearTimeout(timer)
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type Figures = Awaited<ReturnType<MakeRound>>

async function roundsOf(
  { prepare, isHeavy = false, rounds: wanted }: Measurement,
  workshop: Workshop,
): Promise<readonly Figures[]> {
  const { scale } = workshop
  // Earlier writes must not be flushed during the rounds.
  await run('sync', [])
  await using stack = new AsyncDisposableStack()
  const prepared = await withinLimit(() => prepare(workshop, stack))
  const makeRound: MakeRound = () => withinLimit(prepared)
  if (!isHeavy) await makeRound()
  const rounds: Figures[] = []
  const count = isHeavy && scale.isQuick ? 1 : Math.min(wanted ?? scale.rounds, scale.rounds)
  while (rounds.length < count) rounds.push(await makeRound())
  return rounds
}

/** Takes the median of the ratios, because a disturbance of a round affects both of its sides. */
function judge({ id, reach }: Target, rounds: readonly Figures[]): Measured | NotMeasured {
  const figures = rounds.flatMap((round): readonly Figure[] => (round[id] ? [round[id]] : []))
  const values = figures.map(valueOf)
  const references = figures.flatMap(({ reference }) => reference ?? [])
  const value = median(values)
  if (!Number.isFinite(value)) return { reason: 'no figures came of it', isFailure: true }
  return {
    value,
    values,
    measured: median(figures.map(({ measured }) => measured)),
    ...(references.length > 0 && { reference: median(references) }),
    isReached: isReached(value, reach),
  }
}
