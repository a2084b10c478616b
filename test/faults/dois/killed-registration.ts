/**
 * Publishes, edits, makes new versions, withdraws and takes records away while a third of DataCite's answers
 * fail and the daemon is killed again and again, and compares what DataCite has with what the service
 * says, once it is quiet.
 *
 *     npm run test:faults -- killed-registration              1,000 changes, 100 kills
 *     npm run test:faults -- killed-registration --rounds 5   10 changes for each kill
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataciteSettings } from '../../support/doi-daemon.ts'
import { startDataCite } from '../../support/services/datacite/datacite.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { becomeQuiet, figuresOf, findTooPublic, shares } from './compare-dois.ts'
import { clients, RegisteringClients } from './registering-clients.ts'

const preset = 100
/** Acknowledged changes for each kill. */
const changesOfRound = 10
/** Time for which clients work before a kill, at most. */
const longestMs = 1500
/** DOIs that are looked at after each kill. */
const looked = 50

export const killedRegistration: Experiment = {
  name: 'killed-registration',
  claim:
    'With a third of DataCite’s answers failing and the daemon killed at any moment, every DOI ends up saying what its record says: none is findable whose record is not public, none is made twice, none is forgotten.',
  obstacle: () => undefined,
  run,
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const random = new Random(seed)
  const folder = stack.use(await temporaryFolder())
  const datacite = stack.use(
    await startDataCite({ limit: 10_000_000, faults: { seed, shares, delay: 1000 } }),
  )
  const home = join(folder.path, 'home')
  const settings = await dataciteSettings(folder.path, datacite.url)
  const env = { ...settings, DEPOSIT_PUBLIC_URL: 'http://localhost:8420' }
  let service = await startService(home, { env })
  stack.defer(() => service.kill())
  const world = await RegisteringClients.at(service, random)
  const failures: string[] = []
  for (let round = 1; round <= rounds; round += 1) {
    await workUntilKilled(world, service, random, round * changesOfRound)
    service = await startService(home, { env })
    failures.push(
      ...(await findTooPublic(service, datacite, (all) => random.shuffle(all).slice(0, looked))),
    )
    say(
      `kill ${round} of ${rounds}: ${world.changes} changes, ${datacite.requests.length} requests`,
    )
  }
  datacite.misbehave()
  failures.push(...(await becomeQuiet(service)))
  failures.push(...(await world.compare(service, datacite)))
  return {
    failures,
    figures: {
      kills: rounds,
      changes: world.changes,
      ...figuresOf(datacite),
      wrong: failures.length,
    },
  }
}

async function workUntilKilled(
  world: RegisteringClients,
  service: Service,
  random: Random,
  target: number,
): Promise<void> {
  const over = performance.now() + random.between(50, longestMs)
  let isKilled = false
  const isOver = (): boolean => performance.now() > over && world.changes >= target - clients
  const working = world.work(
    () => [service],
    () => isKilled || isOver(),
  )
  // The first client that has done enough ends the round, in the middle of what others ask.
  while (!isOver()) await sleep(5)
  await service.kill()
  isKilled = true
  await working
}
