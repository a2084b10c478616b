/**
 * Lets each call of the system that an upload and a publish make fail, one after another: as on a
 * disk that fails, and as on one that is full.
 *
 *     npm run test:faults -- failing-calls
 *     npm run test:faults -- failing-calls --rounds 3       the first three of each call alone
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import { afterwardsMs, onePoolThread } from './crash-points.ts'
import { faultsOf, type Aftermath, type Errno } from './expected-answers.ts'
import { inject, injectionObstacle, threadsOf, type Thread } from './injection.ts'
import { ScriptedClient } from './scripted-client.ts'

/**
 * Where a failure may happen: SQLite writes on the main thread, Node.js on that of the pool. Calls
 * that write to sockets as well are left out.
 */
const places: readonly (readonly [call: string, thread: Thread['name']])[] = [
  ['pwrite64', 'main'],
  ['fsync', 'main'],
  ['fdatasync', 'main'],
  ['ftruncate', 'main'],
  ['openat', 'pool'],
  ['pwritev', 'pool'],
  ['pwrite64', 'pool'],
  ['fsync', 'pool'],
  ['fdatasync', 'pool'],
  ['fchmod', 'pool'],
  ['rename', 'pool'],
  ['mkdir', 'pool'],
  ['statfs', 'pool'],
]
const errors: readonly Errno[] = ['EIO', 'ENOSPC']

export const failingCalls: Experiment = {
  name: 'failing-calls',
  claim:
    'When a call fails nothing is acknowledged that is not there: a failing disk ends writing and not reading, a full one answers 507, no sync is tried again.',
  obstacle: injectionObstacle,
  run: failEachCall,
}

interface Bench {
  readonly home: string
  readonly folder: string
  readonly client: ScriptedClient
  readonly tally: Tally
}

async function failEachCall({ seed, rounds = Infinity, say }: Settings): Promise<Outcome> {
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  const service = await startService(home, onePoolThread)
  const client = await ScriptedClient.at(service, new Random(seed))
  await service.kill()
  const bench = { home, folder: folder.path, client, tally }
  for (const error of errors) {
    for (const [call, thread] of places) {
      let at = 1
      while (at <= rounds && (await failAt(bench, { call, thread, error, at }))) at += 1
      say(`${error} from ${call} of the ${thread} thread: ${at - 1} points`)
    }
  }
  await lookAtTheEnd(bench)
  return { figures: tally.figures('failed calls'), failures: tally.failures() }
}

async function lookAtTheEnd({ home, client, tally }: Bench): Promise<void> {
  tally.addCrowd(client.crowd)
  const service = await startService(home)
  await tally.check(service)
  await service.kill()
}

interface Failing {
  readonly call: string
  readonly thread: Thread['name']
  readonly error: Errno
  readonly at: number
}

/** False where the call was never made. */
async function failAt(bench: Bench, failing: Failing): Promise<boolean> {
  const { home, client, tally } = bench
  const service = await startService(home, onePoolThread)
  try {
    await client.create(service)
    const trace = await uploadWhileFailing(service, bench, failing)
    const hit = trace.find((line) => line.includes('(INJECTED)'))
    if (hit === undefined) {
      tally.add(await client.compare(service))
      return false
    }
    tally.round()
    const { pending, refusal } = client.client
    const aftermath = { hit, trace, refused: refusal?.status, isPending: pending !== undefined }
    await note(service, bench, failing, aftermath)
  } finally {
    await service.kill()
  }
  const next = await startService(home)
  await tally.started(next)
  tally.add(await client.compare(next))
  await next.kill()
  return true
}

async function uploadWhileFailing(
  service: Service,
  { folder, client }: Bench,
  { call, thread, error, at }: Failing,
): Promise<readonly string[]> {
  const found = (await threadsOf(service.pid)).find(({ name }) => name === thread)
  if (!found) return []
  const injection = await inject(found, { call, effect: `error=${error}`, at }, folder)
  await client.uploadAndPublish(service)
  await sleep(afterwardsMs)
  return injection.end()
}

async function note(
  service: Service,
  { client, tally }: Bench,
  { call, thread, error, at }: Failing,
  aftermath: Aftermath,
): Promise<void> {
  for (const fault of await faultsOf(service, client.user(service), error, aftermath)) {
    tally.fail(`${error} from ${call} ${at} of the ${thread} thread: ${fault} (${aftermath.hit})`)
  }
}
