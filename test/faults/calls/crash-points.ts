/**
 * Kills the daemon at each system call by which an upload or a publish changes the disk, one after
 * another, and at some of each kind in the other operations; then compares the state with the
 * promises to the client.
 *
 *     npm run test:faults -- crash-points
 *     npm run test:faults -- crash-points --rounds 1        in the others, one of each kind of call
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import { patienceMs, within } from '../within.ts'
import { Coverage } from './coverage.ts'
import { inject, injectionObstacle, threadsOf } from './injection.ts'
import {
  afterwardsMs,
  fewOfAKind,
  mostOf,
  observePlaces,
  onePoolThread,
  pointsOf,
  triesOfACall,
  type Point,
} from './points.ts'
import { scenarios } from './scenarios.ts'
import { ScriptedClient } from './scripted-client.ts'

export const crashPoints: Experiment = {
  name: 'crash-points',
  claim:
    'Killed at every call by which an upload or a publish changes the disk, and at some of every other operation, it has what it acknowledged, and nothing half done.',
  obstacle: injectionObstacle,
  run: killAtEachCall,
}

/** The daemon between two kills, and its only client. */
interface Victim {
  readonly home: string
  readonly folder: string
  readonly client: ScriptedClient
  readonly tally: Tally
  readonly coverage: Coverage
}

async function killAtEachCall({ seed, rounds = fewOfAKind, say }: Settings): Promise<Outcome> {
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  let service = await startService(home, onePoolThread)
  const client = await ScriptedClient.at(service, new Random(seed))
  const coverage = new Coverage()
  const victim = { home, folder: folder.path, client, tally, coverage }
  try {
    for (const scenario of scenarios) {
      const places = await observePlaces(service, client, scenario, folder.path)
      tally.add(await client.compare(service))
      const points = pointsOf(scenario, places, mostOf(scenario, rounds))
      coverage.see(scenario, places, points.length)
      for (const point of points) service = await killAt(service, victim, point)
      say(`${scenario.name}: ${points.length} points, ${tally.line(client.crowd.acknowledged)}`)
    }
    tally.addCrowd(client.crowd)
    await tally.check(service)
  } finally {
    await service.kill()
  }
  const figures = { ...coverage.figures(), ...tally.figures('kills') }
  return { figures, failures: tally.failures() }
}

/** Resolves to the restarted service, or to the same one if the call was not made. */
async function killAt(service: Service, victim: Victim, point: Point): Promise<Service> {
  const { client, tally } = victim
  for (let tries = 0; tries < triesOfACall; tries += 1) {
    await client.take(service, point.scenario.before)
    if (await isKilledAt(service, victim, point)) return startAfter(service, victim, point)
    tally.add(await client.compare(service))
  }
  return service
}

async function startAfter(
  service: Service,
  { home, client, tally, coverage }: Victim,
  { scenario }: Point,
): Promise<Service> {
  await within(patienceMs, 'the end of what was killed', service.ended)
  tally.round()
  coverage.hit(scenario)
  tally.pending(client.crowd.pending)
  const next = await startService(home, onePoolThread)
  await tally.started(next)
  tally.add(await client.compare(next))
  return next
}

async function isKilledAt(
  service: Service,
  { folder, client }: Victim,
  { scenario, thread, call, at }: Point,
): Promise<boolean> {
  const found = (await threadsOf(service.pid)).find(({ name }) => name === thread)
  if (!found) return false
  const injection = await inject(found, { call, effect: 'signal=SIGKILL', at }, folder)
  await client.take(service, scenario.steps)
  await sleep(afterwardsMs)
  const trace = await injection.end()
  // A kill while strace detaches is not always reported.
  if (trace.some((line) => line.includes('killed by SIGKILL'))) return true
  return Promise.race([service.ended.then(() => true), sleep(100, false)])
}
