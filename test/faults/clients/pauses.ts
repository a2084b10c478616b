/**
 * Stops the daemon in the middle of its work and lets it go on, as a laptop that sleeps does.
 *
 *     npm run test:faults -- pauses
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

const clients = 4

export const pauses: Experiment = {
  name: 'pauses',
  claim: 'A process that is stopped for a while goes on with everything.',
  anywhere: true,
  obstacle: () => undefined,
  run: stopAndContinue,
}

async function stopAndContinue({ seed, rounds = 10, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const crowd = await Crowd.gather(service, clients, random)
    let isOver = false
    const working = crowd.work(service, { isOver: () => isOver })
    for (let round = 1; round <= rounds; round += 1) {
      await pause(service, random)
      tally.round()
      say(`pause ${round} of ${rounds}: ${tally.line(crowd.acknowledged)}`)
    }
    isOver = true
    await within(120_000, 'clients end their last request', working)
    // A connection that was idle for too long while the process stood still is closed when it goes
    // on, be there a request on the way or not.
    tally.pending(crowd.pending)
    for (const { client } of crowd.members) {
      if (client.refusal) tally.fail(`a request was answered with ${client.refusal.status}`)
      if (client.isTired) tally.fail('a request was not answered')
    }
    tally.add(await crowd.compare(service, 'everything'))
    tally.addCrowd(crowd)
    await tally.check(service)
  } finally {
    await service.kill()
  }
  return { figures: tally.figures('pauses'), failures: tally.failures() }
}

async function pause({ pid }: Service, random: Random): Promise<void> {
  await sleep(random.between(100, 1000))
  process.kill(pid, 'SIGSTOP')
  await sleep(random.between(500, 8000))
  process.kill(pid, 'SIGCONT')
}
