import type { Daemon } from '../daemon.ts'
import { withinLimit } from '../measure.ts'
import type { Origin } from '../origin.ts'
import { median } from '../statistics.ts'
import type { Workshop } from '../workshop.ts'
import { fleets, startFleet, type Fleet } from './fleet.ts'
import { serverTimes, type ServerTimes } from './processor-time.ts'
import { prepareWorks, type Work } from './works.ts'

/** How fast the same is with rows and bytes in several places, and with several daemons. */
export interface PlacesCompared {
  readonly origin: Origin
  /** What is done, in the order of the columns. */
  readonly works: readonly Pick<Work, 'id' | 'what' | 'unit'>[]
  readonly fleets: readonly FleetFigures[]
}

interface FleetFigures {
  readonly name: string
  /** By the id of the work. */
  readonly figures: Readonly<Record<string, PlaceFigure>>
}

export interface PlaceFigure {
  /** A second; median of the rounds. */
  readonly rate: number
  /** Milliseconds of the processor that one took of each server; median of the rounds. */
  readonly times: ServerTimes
}

/** Rounds of each; there are many works. */
const rounds = 3

/** @param told is called with each row */
export async function comparePlaces(
  workshop: Workshop,
  origin: Origin,
  told: (row: FleetFigures) => void,
): Promise<PlacesCompared> {
  const rows: FleetFigures[] = []
  let works: PlacesCompared['works'] = []
  for (const fleet of fleets) {
    const measured = await withinLimit(() => measureFleet(fleet, workshop))
    works = measured.works.map(({ id, what, unit }) => ({ id, what, unit }))
    told(measured.row)
    rows.push(measured.row)
  }
  return { origin, works, fleets: rows }
}

async function measureFleet(
  fleet: Fleet,
  workshop: Workshop,
): Promise<{ readonly works: readonly Work[]; readonly row: FleetFigures }> {
  await using stack = new AsyncDisposableStack()
  const { daemons: running, tidy } = await startFleet(fleet, workshop, stack)
  const [first, ...others] = running
  if (first === undefined) throw new Error('no daemon was started')
  const daemons: readonly [Daemon, ...Daemon[]] = [first, ...others]
  const pids = daemons.map(({ pid }) => pid)
  const works = await prepareWorks(daemons, workshop)
  await tidy()
  const figures: Record<string, PlaceFigure> = {}
  for (const work of works) {
    await work.before?.()
    await work.run()
    const measured: PlaceFigure[] = []
    for (let round = 0; round < rounds; round += 1) measured.push(await measureOnce(work, pids))
    const medianOf = (figure: (one: PlaceFigure) => number) => median(measured.map(figure))
    figures[work.id] = {
      rate: medianOf(({ rate }) => rate),
      times: {
        daemons: medianOf(({ times }) => times.daemons),
        database: medianOf(({ times }) => times.database),
        store: medianOf(({ times }) => times.store),
      },
    }
  }
  return { works, row: { name: fleet.name, figures } }
}

async function measureOnce(work: Work, daemons: readonly number[]): Promise<PlaceFigure> {
  await work.before?.()
  const before = serverTimes(daemons)
  const { done, seconds } = await work.run()
  const after = serverTimes(daemons)
  const ofOne = (server: keyof ServerTimes) => ((after[server] - before[server]) * 1000) / done
  return {
    rate: done / seconds,
    times: { daemons: ofOne('daemons'), database: ofOne('database'), store: ofOne('store') },
  }
}
