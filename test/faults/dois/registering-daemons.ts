/**
 * Two daemons on one PostgreSQL register DOIs while a third of DataCite's answers fail and one of
 * them is killed again and again; compares what DataCite has with what the service says, once it is
 * quiet.
 *
 *     npm run test:faults -- registering-daemons              1,000 changes, 100 kills
 *     npm run test:faults -- registering-daemons --rounds 5   10 changes for each kill
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataciteSettings } from '../../support/doi-daemon.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { hasS3, s3Credentials, startS3, storeAt } from '../../support/s3.ts'
import { startDataCite } from '../../support/services/datacite/datacite.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { becomeQuiet, figuresOf, findTooPublic, shares } from './compare-dois.ts'
import { clients, RegisteringClients } from './registering-clients.ts'
import { Hands, watchedDatacite } from './watched-datacite.ts'

const preset = 100
const daemons = ['one', 'two'] as const
/** Acknowledged changes for each kill. */
const changesOfRound = 10
/** Time for which clients work before a kill, at most. */
const longestMs = 1500
/** DOIs that are looked at after each kill. */
const looked = 50

export const registeringDaemons: Experiment = {
  name: 'registering-daemons',
  claim:
    'With two daemons on one PostgreSQL, a third of DataCite’s answers failing and one of the daemons killed at any moment, every DOI ends up saying what its record says, and is in the hands of one daemon at a time.',
  obstacle: registeringObstacle,
  run,
}

/** Why several daemons cannot share their rows here; undefined if they can. */
export function registeringObstacle(): string | undefined {
  if (!hasPostgres()) return 'PostgreSQL is not installed'
  return hasS3() ? undefined : 'no S3 server is installed'
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const random = new Random(seed)
  const folder = stack.use(await temporaryFolder())
  const rows = stack.use(await startPostgres({ durable: true }))
  const bytes = stack.use(await startS3())
  const datacite = stack.use(
    await startDataCite({ limit: 10_000_000, faults: { seed, shares, delay: 1000 } }),
  )
  const hands = new Hands()
  const shared = {
    ...s3Credentials,
    DEPOSIT_DATABASE_URL: await rows.database(randomUUID()),
    DEPOSIT_STORAGE_URL: storeAt(bytes.endpoint, 'registering'),
    DEPOSIT_PUBLIC_URL: 'http://localhost:8420',
  }
  const running: Service[] = []
  stack.defer(async () => void (await Promise.all(running.map((service) => service.kill()))))
  const starts: (() => Promise<Service>)[] = []
  for (const name of daemons) {
    const watched = stack.use(await watchedDatacite(datacite.url, hands, name))
    const env = { ...shared, ...(await dataciteSettings(folder.path, watched.url)) }
    const start = (): Promise<Service> => startService(join(folder.path, name), { env })
    starts.push(start)
    running.push(await start())
  }
  const [first] = running
  if (!first) throw new Error('there is no daemon')
  const world = await RegisteringClients.at(first, random)
  const failures: string[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const over = performance.now() + random.between(50, longestMs)
    const target = round * changesOfRound
    let isKilled = false
    const working = world.work(
      () => running,
      () => isKilled,
    )
    while (performance.now() < over || world.changes < target - clients) await sleep(5)
    const victim = random.between(0, daemons.length - 1)
    const [killed] = running.splice(victim, 1)
    await killed?.kill()
    // The other one works on until this one is back.
    const start = starts[victim]
    if (start) running.splice(victim, 0, await start())
    isKilled = true
    await working
    const some = random.pick(running) ?? first
    failures.push(
      ...(await findTooPublic(some, datacite, (all) => random.shuffle(all).slice(0, looked))),
    )
    say(
      `kill ${round} of ${rounds}: ${world.changes} changes, ${datacite.requests.length} requests`,
    )
  }
  datacite.misbehave()
  const last = random.pick(running) ?? first
  failures.push(...(await becomeQuiet(last)))
  failures.push(...(await world.compare(last, datacite)), ...hands.failures)
  return {
    failures,
    figures: {
      daemons: daemons.length,
      kills: rounds,
      changes: world.changes,
      ...figuresOf(datacite),
      wrong: failures.length,
    },
  }
}
