/**
 * Measures the real daemon, with everything on, against references taken in the same run, and keeps
 * the results in `RESULTS.md`.
 *
 *     npm run bench                       every target, the curves of growth, other programs and places
 *     npm run bench -- --growth           only the curves of growth
 *     npm run bench -- --peers            only other programs that do the same
 *     npm run bench -- --places           only PostgreSQL and S3, with one daemon and several
 *     npm run bench -- --quick            every target on a smaller scale: under three minutes
 *     npm run bench -- P6 P7 deposits     some of the targets and curves, by number and name
 *     npm run bench -- --folder PATH P20  keeps homes with many records there for the next run
 *
 * A target that cannot be measured here is reported as SKIPPED with the reason. The exit status is 1
 * if a measurement failed; a missed target is not a failure.
 */
import { choose } from './choice.ts'
import type { Growth } from './growth/curve.ts'
import { measureCurve } from './growth/measure-curve.ts'
import { cleanUpWhenInterrupted } from './interruption.ts'
import { measure, messageOf, withinLimit } from './measure.ts'
import { originOf } from './origin.ts'
import { compare } from './peers/compare.ts'
import { comparePlaces } from './places/compare.ts'
import { obstacle as placesObstacle } from './places/fleet.ts'
import { describeRow } from './report.ts'
import {
  readResults,
  withCurve,
  withPeers,
  withPlaces,
  withRow,
  writeResults,
  type Row,
} from './results.ts'
import type { Measurement } from './target.ts'
import { amount } from './units.ts'
import { Workshop } from './workshop.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const { scale, folder, command, measurements, isWanted, curves, hasPeers, hasPlaces } = choose(
  process.argv.slice(2),
)
const origin = originOf(command, scale.isQuick)
let results = await readResults()

await using workshop = await Workshop.open(scale, folder)
cleanUpWhenInterrupted(workshop.root)
for (const measurement of measurements) await keepTargets(measurement)
for (const growth of curves) await keepCurve(growth)
if (hasPeers) await keepPeers()
if (hasPlaces) await keepPlaces()

async function keepTargets(measurement: Measurement): Promise<void> {
  const outcomeOf = await measure(measurement, workshop)
  for (const target of measurement.targets.filter(({ id }) => isWanted(id))) {
    const { id, unit, reach } = target
    const against = target.against?.(scale)
    const row: Row = {
      id,
      what: target.what(scale),
      ...(against !== undefined && { against }),
      unit,
      reach,
      origin,
      outcome: outcomeOf(target),
    }
    tell(row)
    results = withRow(results, row)
  }
  await writeResults(results)
}

function tell(row: Row): void {
  say(describeRow(row))
  if ('reason' in row.outcome && row.outcome.isFailure) process.exitCode = 1
}

async function keepCurve(growth: Growth): Promise<void> {
  const { id, title, x, y } = growth
  const obstacle = growth.obstacle()
  if (obstacle !== undefined) {
    say(`SKIPPED ${id}: ${obstacle}`)
    return
  }
  try {
    const series = await withinLimit(() =>
      measureCurve(growth, workshop, (at, costs) => {
        const told = Object.entries(costs).map(([name, cost]) => `${name} ${amount(cost, y.unit)}`)
        say(`${id} ${amount(at, x.unit)}: ${told.join(', ')}`)
      }),
    )
    results = withCurve(results, id, { title, x, y, series, origin })
    await writeResults(results)
  } catch (error) {
    say(`FAILED ${id}: ${messageOf(error)}`)
    process.exitCode = 1
  }
}

async function keepPeers(): Promise<void> {
  const compared = await compare(workshop, origin, ({ name, figures, obstacle }) => {
    const told = Object.entries(figures).map(([work, figure]) => `${work} ${figure.toPrecision(3)}`)
    say(obstacle === undefined ? `${name}: ${told.join(', ')}` : `SKIPPED ${name}: ${obstacle}`)
  })
  results = withPeers(results, compared)
  await writeResults(results)
}

async function keepPlaces(): Promise<void> {
  const obstacle = placesObstacle()
  if (obstacle !== undefined) {
    say(`SKIPPED --places: ${obstacle}`)
    return
  }
  const compared = await comparePlaces(workshop, origin, ({ name, figures }) => {
    const told = Object.entries(figures).map(([work, { rate }]) => `${work} ${rate.toPrecision(3)}`)
    say(`${name}: ${told.join(', ')}`)
  })
  results = withPlaces(results, compared)
  await writeResults(results)
}
