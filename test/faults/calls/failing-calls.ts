/**
 * Makes each system call by which an upload or a publish changes the disk fail as on a failing disk,
 * one after another, and some of each kind in the other operations; some of each kind also as on a
 * full disk, and with a used-up quota.
 *
 *     npm run test:faults -- failing-calls
 *     npm run test:faults -- failing-calls --rounds 1       of some, one of each kind of call
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import { Coverage } from './coverage.ts'
import { errors, faultsOf, type Aftermath, type Errno } from './expected-answers.ts'
import { inject, injectionObstacle, threadsOf } from './injection.ts'
import {
  afterwardsMs,
  fewOfAKind,
  mostOf,
  nameOf,
  observePlaces,
  onePoolThread,
  pointsOf,
  triesOfACall,
  type Point,
} from './points.ts'
import { scenarios, type Scenario } from './scenarios.ts'
import { ScriptedClient } from './scripted-client.ts'

export const failingCalls: Experiment = {
  name: 'failing-calls',
  claim:
    'When any call by which an upload or a publish changes the disk fails, or some of every other operation, nothing is acknowledged that is not there: a failing disk ends writing and not reading, a full one answers 507, no sync is tried again.',
  obstacle: injectionObstacle,
  run: failEachCall,
}

interface Bench {
  readonly home: string
  readonly folder: string
  readonly client: ScriptedClient
  readonly tally: Tally
  readonly coverage: Coverage
  readonly say: Settings['say']
}

async function failEachCall({ seed, rounds = fewOfAKind, say }: Settings): Promise<Outcome> {
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  let service = await startService(home, onePoolThread)
  const client = await ScriptedClient.at(service, new Random(seed))
  const coverage = new Coverage()
  const bench = { home, folder: folder.path, client, tally, coverage, say }
  try {
    for (const scenario of scenarios) {
      const failings = await failingsOf(service, bench, scenario, rounds)
      tally.add(await client.compare(service))
      for (const failing of failings) service = await failAt(service, bench, failing)
      say(`${scenario.name}: ${failings.length} points, ${tally.line(client.crowd.acknowledged)}`)
    }
    tally.addCrowd(client.crowd)
    await tally.check(service)
  } finally {
    await service.kill()
  }
  const figures = { ...coverage.figures(), ...tally.figures('failed calls') }
  return { figures, failures: tally.failures() }
}

/** A call and its error. */
interface Failing {
  readonly point: Point
  readonly error: Errno
}

/**
 * Skips the kinds of call that a thread also makes for sockets or to wake other threads, because
 * their failure says nothing about the disk. The kills cover them.
 */
async function failingsOf(
  service: Service,
  { client, coverage, folder }: Bench,
  scenario: Scenario,
  few: number,
): Promise<readonly Failing[]> {
  const places = await observePlaces(service, client, scenario, folder)
  const forFiles = places.filter(({ isForFilesAlone }) => isForFilesAlone)
  const failings = errors.flatMap((error) =>
    pointsOf(scenario, forFiles, error === 'EIO' ? mostOf(scenario, few) : few)
      .filter((point) => isToldOf(point, error))
      .map((point) => ({ point, error })),
  )
  coverage.see(scenario, forFiles, failings.length)
  return failings
}

/**
 * Whether the error can be told from a failing disk. SQLite reports a quota as a failure, and also a
 * full disk when it could not truncate a file; only the main thread retries, the others do not.
 */
function isToldOf({ thread, call }: Point, error: Errno): boolean {
  if (!thread.startsWith('checkpoint')) return true
  return error === 'EIO' || (error === 'ENOSPC' && call !== 'ftruncate')
}

/** Resolves to the service that runs afterwards: a new one if the disk failed. */
async function failAt(service: Service, bench: Bench, failing: Failing): Promise<Service> {
  const { client, tally } = bench
  for (let tries = 0; tries < triesOfACall; tries += 1) {
    await client.take(service, failing.point.scenario.before)
    const trace = await workWhileFailing(service, bench, failing)
    const hit = trace.find((line) => line.includes('(INJECTED)'))
    if (hit !== undefined) return goOnAfter(service, bench, failing, { hit, trace })
    tally.add(await client.compare(service))
  }
  return service
}

async function goOnAfter(
  service: Service,
  bench: Bench,
  failing: Failing,
  seen: Pick<Aftermath, 'hit' | 'trace'>,
): Promise<Service> {
  const { home, client, tally, coverage } = bench
  tally.round()
  coverage.hit(failing.point.scenario)
  const { pending, refusal } = client.client
  const aftermath = { ...seen, refused: refusal?.status, isPending: pending !== undefined }
  const isSound = await note(service, bench, failing, aftermath)
  if (isSound) {
    tally.add(await client.compare(service))
    return service
  }
  await service.kill()
  const next = await startService(home, onePoolThread)
  await tally.started(next)
  tally.add(await client.compare(next))
  return next
}

async function workWhileFailing(
  service: Service,
  { folder, client }: Bench,
  { point: { scenario, thread, call, at }, error }: Failing,
): Promise<readonly string[]> {
  const found = (await threadsOf(service.pid)).find(({ name }) => name === thread)
  if (!found) return []
  // A used-up quota lasts; on a full disk there may be space again a moment later.
  const fault = { call, effect: `error=${error}`, at, lasts: error === 'EDQUOT' }
  const injection = await inject(found, fault, folder)
  await client.take(service, scenario.steps)
  await sleep(afterwardsMs)
  return injection.end()
}

/** True if the service is as healthy as before. */
async function note(
  service: Service,
  { client, tally, say }: Bench,
  { point, error }: Failing,
  aftermath: Aftermath,
): Promise<boolean> {
  const { faults, isSound } = await faultsOf(service, client.user(service), error, aftermath)
  for (const fault of faults) {
    const reason = `${error}: ${nameOf(point)}: ${fault} (${aftermath.hit})`
    say(reason)
    tally.fail(reason)
  }
  return isSound
}
