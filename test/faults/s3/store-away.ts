/**
 * Takes the S3 server away from a daemon in the middle of its work: kills it, lets it stand still,
 * makes it slow, cuts its connections. Then it is back, and everything must be as it was promised.
 *
 *     npm run test:faults -- store-away
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionCutter, type ConnectionCutter } from '../../support/connection-cutter.ts'
import { send } from '../../support/http.ts'
import { hasS3, s3Credentials, startS3, storeAt, type S3Server } from '../../support/s3.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'

const preset = 40
const clients = 4
/** How long after the server is back everything must go on. */
const healingMs = 10_000
/** Rounds after which everything is looked at, not only what was touched. */
const thorough = 10

export const storeAway: Experiment = {
  name: 'store-away',
  claim:
    'With the S3 server killed, stopped, slowed and cut, nothing acknowledged is lost, nothing is half there, and it heals in ten seconds.',
  obstacle: () => (hasS3() ? undefined : 'no S3 server is installed (python3-swift)'),
  run: takeAwayAgainAndAgain,
}

interface Store {
  readonly server: S3Server
  readonly cutter: ConnectionCutter
  readonly random: Random
}

/** What is done to the store; it is back when the promise resolves. */
type Trouble = (store: Store) => Promise<void>

const troubles = {
  killed: async ({ server, random }) => {
    await server.kill()
    await sleep(random.between(100, 3000))
    await server.start()
  },
  stopped: async ({ server, random }) => {
    server.signal('SIGSTOP')
    await sleep(random.between(500, 12_000))
    server.signal('SIGCONT')
  },
  slowed: async ({ server, random }) => {
    for (let pause = 0; pause < 20; pause += 1) {
      server.signal('SIGSTOP')
      await sleep(random.between(20, 200))
      server.signal('SIGCONT')
      await sleep(random.between(5, 20))
    }
  },
  cut: async ({ cutter, random }) => {
    for (let cut = 0; cut < 5; cut += 1) {
      cutter.cutAfter(random.between(0, 200_000))
      await sleep(random.between(20, 200))
    }
  },
} as const satisfies Readonly<Record<string, Trouble>>

async function takeAwayAgainAndAgain(settings: Settings): Promise<Outcome> {
  const random = new Random(settings.seed)
  const rounds = settings.rounds ?? preset
  const tally = new Tally()
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startS3())
  const cutter = stack.use(await connectionCutter(server.endpoint))
  const { path } = stack.use(await temporaryFolder())
  const env = { ...s3Credentials, DEPOSIT_STORAGE_URL: storeAt(cutter.url, 'away') }
  const service = await startService(join(path, 'home'), { env })
  stack.defer(() => service.kill())
  const crowd = await Crowd.gather(service, clients, random)
  let slowestMs = 0
  for (let round = 1; round <= rounds; round += 1) {
    const [name, trouble] = inTurn(round)
    tally.round()
    await workThrough(crowd, service, () => trouble({ server, cutter, random }), random)
    tally.pending(crowd.pending)
    const healedMs = await healed(service)
    slowestMs = Math.max(slowestMs, healedMs)
    if (healedMs > healingMs) tally.fail(`${name}: not ready ${healingMs} ms later`)
    const isThorough = round % thorough === 0 || round === rounds
    tally.add(await crowd.compare(service, isThorough ? 'everything' : 'touched'))
    if (isThorough) await tally.check(service)
    settings.say(`${name}, ${round} of ${rounds}: ${tally.line(crowd.acknowledged)}`)
  }
  tally.addCrowd(crowd)
  const { 'slowest start (ms)': _, ...figures } = tally.figures('troubles')
  return {
    figures: { ...figures, 'slowest healing (ms)': Math.round(slowestMs) },
    failures: tally.failures(),
  }
}

/** One trouble after another. */
function inTurn(round: number): readonly [string, Trouble] {
  const all = Object.entries(troubles)
  return all[round % all.length] ?? ['killed', troubles.killed]
}

/** Lets the clients work before, during and a little after the trouble. */
async function workThrough(
  crowd: Crowd,
  service: Service,
  trouble: () => Promise<void>,
  random: Random,
): Promise<void> {
  let isOver = false
  const working = crowd.work(service, { isOver: () => isOver })
  await sleep(random.between(50, 1000))
  await trouble()
  isOver = true
  await working
}

/** Milliseconds until the service says that it is ready; more than may be where it never does. */
async function healed({ url }: Service): Promise<number> {
  const started = performance.now()
  for (;;) {
    const reply = await send('GET', `${url}/ready`).catch(() => undefined)
    const elapsed = performance.now() - started
    if (reply?.status === 200 || elapsed > 2 * healingMs) return elapsed
    await sleep(50)
  }
}
