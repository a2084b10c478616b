/**
 * Fifty clients work for an hour: no request is refused, no data are lost, and memory and
 * descriptors do not grow without end.
 *
 *     npm run test:soak
 *     npm run test:soak -- --minutes 5                      five minutes
 */
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import { startService } from '../service.ts'
import { Tally } from '../tally.ts'
import type { ProcessFigures } from './process-figures.ts'
import { workForMinutes } from './work-for-minutes.ts'

const clients = 50

/** Some two hundred requests a second in all; without a pause 150 GB would be written in an hour. */
const meanPauseMs = 200

/** Reading all deposits of an hour takes hours: all must be listed, and this many are read. */
const readOfEach = 400

export const soak: Experiment = {
  name: 'soak',
  claim: 'Under an hour of load nothing is refused or lost, and memory and descriptors level off.',
  anywhere: true,
  obstacle: () => undefined,
  run: workForAnHour,
}

async function workForAnHour({ seed, rounds = 60, say }: Settings): Promise<Outcome> {
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const random = new Random(seed)
    const crowd = await Crowd.gather(service, clients, random)
    const work = { service, crowd, random, minutes: rounds, meanPauseMs, say }
    const samples = await workForMinutes(work)
    tally.rounds(samples.length)
    if (crowd.pending > 0) tally.fail(`${crowd.pending} requests were not acknowledged`)
    tally.add(await crowd.compare(service, readOfEach))
    tally.addCrowd(crowd)
    await tally.check(service)
    return outcomeOf(tally, samples)
  } finally {
    await service.kill()
  }
}

/** Only the second half of the time is measured; the first half warms up. */
function outcomeOf(tally: Tally, samples: readonly ProcessFigures[]): Outcome {
  const late = samples.slice(Math.floor(samples.length / 2))
  const [first, last] = [late.at(0), late.at(-1)]
  const growth = Number(slopeOf(late.map(({ memoryMiB }) => memoryMiB)).toFixed(2))
  const descriptors = (last?.descriptors ?? 0) - (first?.descriptors ?? 0)
  // Memory grows with the number of drafts; a leak grows faster.
  if (late.length > 5 && growth > 1) tally.fail(`memory grew by ${growth} MiB a minute`)
  if (descriptors > 20) tally.fail(`${descriptors} more descriptors were open`)
  const figures = { 'memory (MiB)': last?.memoryMiB ?? 0, 'growth (MiB a minute)': growth }
  return { figures: { ...tally.figures('minutes'), ...figures }, failures: tally.failures() }
}

/** The slope of the values, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const spread = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
  const rise = values.reduce((sum, value, at) => sum + (at - middle) * value, 0)
  return spread === 0 ? 0 : rise / spread
}
