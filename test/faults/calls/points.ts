import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '../service.ts'
import { changingCalls, placesOf, type Place } from './changing-calls.ts'
import { traceAll } from './injection.ts'
import type { Scenario } from './scenarios.ts'
import type { ScriptedClient } from './scripted-client.ts'

/** strace counts the calls of each thread for itself. */
export const onePoolThread = { env: { UV_THREADPOOL_SIZE: '1' } }

/** Time for work of the daemon that no client waits for. */
export const afterwardsMs = 200

/** A call of a scenario at which something is to happen. */
export interface Point {
  readonly scenario: Scenario
  readonly thread: string
  readonly call: string
  /** Its number among calls of its kind, from 1. */
  readonly at: number
}

/** The calls by which a scenario changes files, recorded in one run of it. */
export async function observePlaces(
  service: Service,
  client: ScriptedClient,
  { before, steps }: Scenario,
  folder: string,
): Promise<readonly Place[]> {
  await client.take(service, before)
  const tracing = await traceAll(service.pid, changingCalls, folder)
  await client.take(service, steps)
  await sleep(afterwardsMs)
  return placesOf(await tracing.end(), service.home)
}

/** A scenario does not make the same calls each time, so a call that was seen gets several tries. */
export const triesOfACall = 3

/** Calls of a kind taken from a scenario that does not ask for every one. */
export const fewOfAKind = 3

/** Calls of a kind taken from a scenario: all, or `few`. */
export function mostOf({ every }: Scenario, few: number): number {
  return every ? Infinity : few
}

/** The calls of the places: at most `most` of each kind, spread from the first to the last. */
export function pointsOf(
  scenario: Scenario,
  places: readonly Place[],
  most: number,
): readonly Point[] {
  return places.flatMap(({ thread, call, count }) =>
    spread(count, most).map((at) => ({ scenario, thread, call, at })),
  )
}

/** At most `most` numbers from 1 to `count`, as far apart as possible. */
function spread(count: number, most: number): readonly number[] {
  const wanted = Math.min(count, most)
  const distance = wanted > 1 ? (count - 1) / (wanted - 1) : 0
  return Array.from({ length: wanted }, (_, at) => 1 + Math.round(at * distance))
}

export function nameOf({ scenario, thread, call, at }: Point): string {
  return `${scenario.name}, ${call} ${at} of the ${thread} thread`
}
