/**
 * Fifty clients work for a day of the daemon's clock, which runs faster than the real one: all that
 * it does by the hour or the day comes to its turn. What memory it has then is compared with a
 * daemon that has just been started on the same data, after the same work.
 *
 *     npm run test:faults -- day                            a day in ninety minutes
 *     npm run test:faults -- day --rounds 5                 a day in five
 */
import { join } from 'node:path'
import { fastTime, noSetTime } from '../../support/set-time.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import type { ProcessFigures } from './process-figures.ts'
import { workForMinutes } from './work-for-minutes.ts'

const clients = 50
const dayMinutes = 24 * 60

const realTimeLimits = new URL('real-time-limits.mjs', import.meta.url).href

/** Some hundred requests a second in all. */
const meanPauseMs = 400

/** All must be listed, and this many of each client are read. */
const readOfEach = 100

/** A fresh daemon has warmed up after so many minutes. */
const warmingMinutes = 10

/** What a daemon may have more after a day than one that has just warmed up. */
const mostMore = 1.15

export const day: Experiment = {
  name: 'day',
  claim:
    'After a day of its clock under load nothing was refused or lost, and the daemon has about the memory and the descriptors of one that was just started on the same data.',
  obstacle: () => noSetTime,
  run: workForADay,
}

async function workForADay({ seed, rounds = 90, say }: Settings): Promise<Outcome> {
  const tally = new Tally()
  const random = new Random(seed)
  const timesFaster = Math.ceil(dayMinutes / rounds)
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  const crowd = await gatherIn(home, random)
  const pace = { crowd, random, meanPauseMs, say }
  const began = performance.now()
  const aged = await whileServing(home, hasty(timesFaster), async (service) => {
    const samples = await workForMinutes({ ...pace, service, minutes: rounds })
    requireAnswers(crowd, tally)
    tally.rounds(samples.length)
    tally.add(await crowd.compare(service, readOfEach))
    return samples
  })
  const ahead = ((performance.now() - began) / 1000) * (timesFaster - 1)
  const fresh = await whileServing(home, hasty(timesFaster, ahead), (service) => {
    const minutes = Math.min(warmingMinutes, rounds)
    return workForMinutes({ ...pace, service, minutes })
  })
  requireAnswers(crowd, tally)
  tally.addCrowd(crowd)
  await tally.check({ home })
  return outcomeOf(tally, { timesFaster, aged, fresh })
}

/** The clients keep to the real time: the daemon waits for them as long as it does by that. */
function hasty(timesFaster: number, ahead = 0): NodeJS.ProcessEnv {
  return {
    ...fastTime(timesFaster, ahead),
    DEPOSIT_PROGRESS_SECONDS: String(30 * timesFaster),
    NODE_OPTIONS: `--import=${realTimeLimits}`,
    TIMES_FASTER: String(timesFaster),
  }
}

/** The owner of a home proves it by the time, so accounts are made before the clock runs faster. */
function gatherIn(home: string, random: Random): Promise<Crowd> {
  return whileServing(home, {}, (service) => Crowd.gather(service, clients, random))
}

async function whileServing<Value>(
  home: string,
  env: NodeJS.ProcessEnv,
  work: (service: Service) => Promise<Value>,
): Promise<Value> {
  const service = await startService(home, { env })
  try {
    return await work(service)
  } finally {
    await service.kill()
  }
}

function requireAnswers(crowd: Crowd, tally: Tally): void {
  if (crowd.missing.length > 0) tally.fail(`not acknowledged: ${crowd.missing.join(', ')}`)
}

interface Findings {
  readonly timesFaster: number
  readonly aged: readonly ProcessFigures[]
  readonly fresh: readonly ProcessFigures[]
}

function outcomeOf(tally: Tally, { timesFaster, aged, fresh }: Findings): Outcome {
  const [old, young] = [endOf(aged), endOf(fresh)]
  if (old.memoryMiB > young.memoryMiB * mostMore) {
    tally.fail(`it had ${old.memoryMiB} MiB after a day, and ${young.memoryMiB} MiB just started`)
  }
  // Each client may have a connection open that those of the other daemon have closed.
  if (old.descriptors > young.descriptors + clients) {
    tally.fail(`it had ${old.descriptors} descriptors, and ${young.descriptors} just started`)
  }
  const figures = {
    'hours of its clock': Math.round((aged.length * timesFaster) / 60),
    'memory after a quarter of the day (MiB)': endOf(aged.slice(0, aged.length / 4)).memoryMiB,
    'after half': endOf(aged.slice(0, aged.length / 2)).memoryMiB,
    'after the day': old.memoryMiB,
    'just started on the same data': young.memoryMiB,
    'descriptors after the day': old.descriptors,
    'just started': young.descriptors,
  }
  return { figures: { ...tally.figures('minutes'), ...figures }, failures: tally.failures() }
}

/** The means of the last tenth: a collection of garbage moves a single figure. */
function endOf(samples: readonly ProcessFigures[]) {
  const last = samples.slice(-Math.max(1, Math.ceil(samples.length / 10)))
  const mean = (values: readonly number[]): number =>
    Math.round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length))
  return {
    memoryMiB: mean(last.map(({ memoryMiB }) => memoryMiB)),
    descriptors: mean(last.map(({ descriptors }) => descriptors)),
  }
}
