/**
 * Kills the daemon at random moments while clients work, and compares the state after each start
 * with the promises to them. Sometimes it is killed again while it starts.
 *
 *     npm run test:faults -- kill-loop                      1,000 rounds
 *     npm run test:faults -- kill-loop --rounds 20 --seed 7
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Crowd } from '../load/crowd.ts'
import { Random } from '../random.ts'
import { spawnService, startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import { patienceMs, within } from '../within.ts'

const preset = 1000
const clients = 4
/** Time for which the clients work before a kill. */
const shortestMs = 10
const longestMs = 700
/** The daemon takes about as long to start. */
const longestStartMs = 500
/** Rounds after which all deposits are compared, not only those that were touched. */
const thorough = 50

export const killLoop: Experiment = {
  name: 'kill-loop',
  claim: 'Killed at any moment, the service has all it acknowledged, and nothing half done.',
  anywhere: true,
  obstacle: () => undefined,
  run: killAgainAndAgain,
}

async function killAgainAndAgain(settings: Settings): Promise<Outcome> {
  const rounds = settings.rounds ?? preset
  const random = new Random(settings.seed)
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  let service = await startService(home)
  try {
    const crowd = await Crowd.gather(service, clients, random)
    for (let round = 1; round <= rounds; round += 1) {
      tally.round()
      await workUntilKilled(crowd, service, random)
      tally.pending(crowd.pending)
      if (random.chance(0.2)) await killWhileStarting(home, random)
      service = await startService(home)
      await look({ service, crowd, tally, isThorough: round % thorough === 0 || round === rounds })
      settings.say(`kill ${round} of ${rounds}: ${tally.line(crowd.acknowledged)}`)
    }
    tally.addCrowd(crowd)
  } finally {
    await service.kill()
  }
  return { figures: tally.figures('kills'), failures: tally.failures() }
}

async function workUntilKilled(crowd: Crowd, service: Service, random: Random): Promise<void> {
  const working = crowd.work(service)
  await sleep(random.between(shortestMs, longestMs))
  await service.kill()
  await within(patienceMs, 'clients whose service is gone give up', working)
}

/** A daemon in recovery may be killed as well, and has to start again. */
async function killWhileStarting(home: string, random: Random): Promise<void> {
  const { child, ended } = spawnService(home)
  await sleep(random.between(5, longestStartMs))
  child.kill('SIGKILL')
  await within(patienceMs, 'the end of what was killed', ended)
}

interface Looking {
  readonly service: Service
  readonly crowd: Crowd
  readonly tally: Tally
  readonly isThorough: boolean
}

async function look({ service, crowd, tally, isThorough }: Looking): Promise<void> {
  await tally.started(service)
  tally.add(await crowd.compare(service, isThorough ? 'everything' : 'touched'))
  if (isThorough) await tally.check(service)
}
