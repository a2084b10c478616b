/**
 * Stops the daemon in the middle of its work and lets it continue, as a sleeping laptop does.
 *
 *     npm run test:faults -- pauses                         ten times, the last one for a minute
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import { within } from '../within.ts'
import { ManySockets } from './many-sockets.ts'

const clients = 4
/** Silent connections that are open during the long pause. */
const idle = 100
const longSeconds = 60

export const pauses: Experiment = {
  name: 'pauses',
  claim:
    'A process that is stopped for a while, or for a minute, resumes all work, and closes connections that were idle.',
  anywhere: true,
  obstacle: () => undefined,
  run: stopAndContinue,
}

interface Work {
  readonly service: Service
  readonly crowd: Crowd
  readonly tally: Tally
}

async function stopAndContinue({ seed, rounds = 10, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const crowd = await Crowd.gather(service, clients, random)
    const work = { service, crowd, tally }
    await workMeanwhile(work, async () => {
      for (let round = 1; round < rounds; round += 1) {
        await pause(service, random)
        tally.round()
        say(`pause ${round} of ${rounds}: ${tally.line(crowd.acknowledged)}`)
      }
    })
    requireAnswers(work)
    tally.add(await crowd.compare(service, 'everything'))
    await sleepForLong(work)
    say(`pause of ${longSeconds} s: ${tally.line(crowd.acknowledged)}`)
    await workMeanwhile(work, () => sleep(5000))
    requireAnswers(work)
    tally.add(await crowd.compare(service, 'everything'))
    tally.addCrowd(crowd)
    await tally.check(service)
  } finally {
    await service.kill()
  }
  return {
    figures: { ...tally.figures('pauses'), 'longest (s)': longSeconds },
    failures: tally.failures(),
  }
}

/** Clients send one request after another while something happens, and finish their last one. */
async function workMeanwhile(
  { service, crowd, tally }: Work,
  happen: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const working = crowd.work(service, { isOver: () => isOver })
  await happen()
  isOver = true
  await within(120_000, 'clients end their last request', working)
  // A connection that was idle for too long while the process was stopped is closed when it
  // continues, even with a request on the way.
  tally.pending(crowd.pending)
}

function requireAnswers({ crowd, tally }: Work): void {
  for (const { client } of crowd.members) {
    if (client.refusal) tally.fail(`a request was answered with ${client.refusal.status}`)
    if (client.isTired) tally.fail('a request was not answered')
  }
}

async function pause({ pid }: Service, random: Random): Promise<void> {
  await sleep(random.between(100, 1000))
  process.kill(pid, 'SIGSTOP')
  await sleep(random.between(500, 8000))
  process.kill(pid, 'SIGCONT')
}

/** Long enough that every client gives up; its request may or may not take effect afterwards. */
async function sleepForLong(work: Work): Promise<void> {
  const { service, crowd, tally } = work
  using sockets = new ManySockets()
  await workMeanwhile(work, async () => {
    // A client that does not read does not notice that its connection is closed.
    await sockets.open(service.url, idle, (socket) => socket.resume())
    if (sockets.left < idle) tally.fail(`${sockets.left} of ${idle} idle sockets were open before`)
    process.kill(service.pid, 'SIGSTOP')
    await sleep(longSeconds * 1000)
    process.kill(service.pid, 'SIGCONT')
    await sleep(10_000)
    if (sockets.left > 0) tally.fail(`${sockets.left} idle sockets are open ten seconds later`)
  })
  tally.round()
  tally.add(await crowd.compare(service, 'everything'))
}
