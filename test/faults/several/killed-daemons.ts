/**
 * Kills one of three daemons on the same PostgreSQL and S3 again and again while clients work
 * through the proxy in front, and compares the state with the promises to them.
 *
 *     npm run test:faults -- killed-daemons                 three minutes of work
 *     npm run test:faults -- killed-daemons --rounds 4
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { balancer, type Balancer } from '../../support/balancer.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { hasS3, s3Credentials, startS3, storeAt } from '../../support/s3.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'

const preset = 36
const daemons = 3
const clients = 30
/** A round: a daemon is killed at some moment, and the others work to its end. */
const roundMs = 5_000

export const killedDaemons: Experiment = {
  name: 'killed-daemons',
  claim:
    'Where one of three daemons is killed every five seconds, nothing is lost and nothing is there twice.',
  obstacle: () => {
    if (!hasPostgres()) return 'PostgreSQL is not installed'
    return hasS3() ? undefined : 'no S3 server is installed'
  },
  run: killOneAfterAnother,
}

async function killOneAfterAnother(settings: Settings): Promise<Outcome> {
  const rounds = settings.rounds ?? preset
  const random = new Random(settings.seed)
  const tally = new Tally()
  await using stack = new AsyncDisposableStack()
  const fleet = stack.use(await startFleet())
  const crowd = await Crowd.gather(fleet.first, clients, random)
  for (let round = 1; round <= rounds; round += 1) {
    tally.round()
    const victim = round % daemons
    await workWhileOneIsKilled({ crowd, fleet, victim, random })
    tally.pending(crowd.pending)
    await fleet.restart(victim)
    tally.add(await crowd.compare(fleet.front, round === rounds ? 'everything' : 'touched'))
    settings.say(`kill ${round} of ${rounds}: ${tally.line(crowd.acknowledged)}`)
  }
  tally.addCrowd(crowd)
  await tally.check(fleet.first)
  return { figures: { daemons, clients, ...tally.figures('kills') }, failures: tally.failures() }
}

interface Work {
  readonly crowd: Crowd
  readonly fleet: Fleet
  readonly victim: number
  readonly random: Random
}

async function workWhileOneIsKilled({ crowd, fleet, victim, random }: Work): Promise<void> {
  const over = performance.now() + roundMs
  const working = crowd.work(fleet.front, { isOver: () => performance.now() > over })
  await sleep(random.between(0, roundMs))
  await fleet.kill(victim)
  await working
}

/** The daemons and their proxy. */
interface Fleet extends AsyncDisposable {
  readonly front: Pick<Service, 'url'>
  /** One of the running daemons. */
  readonly first: Service
  readonly kill: (index: number) => Promise<void>
  readonly restart: (index: number) => Promise<void>
}

async function startFleet(): Promise<Fleet> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await startPostgres({ durable: true }))
  const storage = stack.use(await startS3())
  const front = stack.use(await balancer())
  const folder = stack.use(await temporaryFolder())
  const env = {
    ...s3Credentials,
    DEPOSIT_DATABASE_URL: await database.database(randomUUID()),
    DEPOSIT_STORAGE_URL: storeAt(storage.endpoint, 'fleet'),
    DEPOSIT_PUBLIC_URL: front.origin,
  }
  const running: Service[] = []
  stack.defer(async () => void (await Promise.all(running.map((service) => service.kill()))))
  for (let index = 0; index < daemons; index += 1)
    running.push(await enlist(front, join(folder.path, `home-${index}`), env))
  const owned = stack.move()
  return {
    front: { url: front.origin },
    get first() {
      return at(running, 0)
    },
    kill: (index) => at(running, index).kill(),
    restart: async (index) => {
      const { home, url } = at(running, index)
      front.remove(url)
      running[index] = await enlist(front, home, env)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Starts a daemon, and sends it requests from now on. */
async function enlist(front: Balancer, home: string, env: NodeJS.ProcessEnv): Promise<Service> {
  const service = await startService(home, { env })
  await front.add(service.url)
  return service
}

function at(running: readonly Service[], index: number): Service {
  const service = running[index]
  if (!service) throw new Error(`there is no daemon ${index}`)
  return service
}
