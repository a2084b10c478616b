import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../experiment.ts'
import type { Crowd } from '../load/crowd.ts'
import type { Random } from '../random.ts'
import type { Service } from '../service.ts'
import { within } from '../within.ts'
import { processFigures, type ProcessFigures } from './process-figures.ts'

const minuteMs = 60_000

export interface Shift extends Pick<Settings, 'say'> {
  readonly service: Service
  readonly crowd: Crowd
  readonly random: Random
  readonly minutes: number
  /** Each client pauses between two requests, from none to twice this time. */
  readonly meanPauseMs: number
}

/** All clients work; resolves to the figures of the daemon after each minute. */
export async function workForMinutes(shift: Shift): Promise<readonly ProcessFigures[]> {
  const { service, crowd, random, minutes, meanPauseMs } = shift
  const until = performance.now() + minutes * minuteMs
  const working = crowd.work(service, {
    isOver: () => performance.now() > until,
    pause: () => sleep(random.between(0, 2 * meanPauseMs)),
  })
  const samples = await sampleEachMinute(shift)
  await within(120_000, 'clients end their last request', working)
  return samples
}

async function sampleEachMinute({ service, crowd, minutes, say }: Shift) {
  const samples: ProcessFigures[] = []
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(minuteMs)
    const sample = await processFigures(service.pid)
    samples.push(sample)
    const { memoryMiB, descriptors } = sample
    say(
      `minute ${minute}: ${memoryMiB} MiB, ${descriptors} descriptors, ${crowd.acknowledged} acknowledged`,
    )
  }
  return samples
}
