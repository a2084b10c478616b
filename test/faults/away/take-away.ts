import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../support/http.ts'
import type { Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import type { Service } from '../service.ts'
import { Tally } from '../tally.ts'

const preset = 40
const clients = 4
/** Time within which everything must work after the server is back. */
const healingMs = 10_000
/** Rounds after which all deposits are compared, not only those that were touched. */
const thorough = 10

/** Takes away a server that the daemon depends on; the server is back when the promise resolves. */
export type Trouble = (random: Random) => Promise<void>

/** Makes one of `troubles` after another while the clients work, and compares what is left. */
export async function takeAway(
  service: Service,
  troubles: Readonly<Record<string, Trouble>>,
  settings: Settings,
): Promise<Outcome> {
  const random = new Random(settings.seed)
  const rounds = settings.rounds ?? preset
  const tally = new Tally()
  const crowd = await Crowd.gather(service, clients, random)
  const inTurn = Object.entries(troubles)
  let slowestMs = 0
  for (let round = 1; round <= rounds; round += 1) {
    const [name, trouble] = inTurn[round % inTurn.length] ?? []
    if (name === undefined || !trouble) throw new Error('there is no trouble to make')
    tally.round()
    await workThrough(crowd, service, trouble, random)
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

/** Lets the clients work before, during and a little after the trouble. */
async function workThrough(
  crowd: Crowd,
  service: Service,
  trouble: Trouble,
  random: Random,
): Promise<void> {
  let isOver = false
  const working = crowd.work(service, { isOver: () => isOver })
  await sleep(random.between(50, 1000))
  await trouble(random)
  isOver = true
  await working
}

/** Milliseconds until the service reports that it is ready; above the limit if it never does. */
async function healed({ url }: Service): Promise<number> {
  const started = performance.now()
  for (;;) {
    const reply = await send('GET', `${url}/ready`).catch(() => undefined)
    const elapsed = performance.now() - started
    if (reply?.status === 200 || elapsed > 2 * healingMs) return elapsed
    await sleep(50)
  }
}
