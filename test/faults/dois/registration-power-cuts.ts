/**
 * Cuts the power of the disk under a daemon that registers DOIs, again and again: what was told is
 * there afterwards, and DataCite knows nothing that is not.
 *
 *     npm run test:faults -- registration-power-cuts              60 cuts
 *     npm run test:faults -- registration-power-cuts --rounds 6
 *
 * It needs what `power-cuts` needs. No client gets an answer that comes after the cut has begun, and
 * nothing the daemon sends reaches DataCite from then on.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataciteSettings } from '../../support/doi-daemon.ts'
import { startDataCite } from '../../support/services/datacite/datacite.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { makeDisk } from '../power/disk.ts'
import { obstacle } from '../power/power-cuts.ts'
import { Random } from '../random.ts'
import { startService } from '../service.ts'
import { becomeQuiet, figuresOf, findTooPublic, shares } from './compare-dois.ts'
import { RegisteringClients } from './registering-clients.ts'
import { Hands, watchedDatacite } from './watched-datacite.ts'

const preset = 60
const shortestMs = 200
const longestMs = 2500

export const registrationPowerCuts: Experiment = {
  name: 'registration-power-cuts',
  claim:
    'After a power cut every publication and registration that was told is there, and DataCite knows of nothing that was not committed.',
  obstacle,
  run,
}

async function run({ seed, rounds = preset, say }: Settings): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const random = new Random(seed)
  const folder = stack.use(await temporaryFolder())
  const disk = stack.use(await makeDisk('ext4'))
  const datacite = stack.use(
    await startDataCite({ limit: 10_000_000, faults: { seed, shares, delay: 1000 } }),
  )
  const watched = stack.use(await watchedDatacite(datacite.url, new Hands(), 'daemon'))
  const home = join(disk.path, 'home')
  const settings = await dataciteSettings(folder.path, watched.url)
  const env = { ...settings, DEPOSIT_PUBLIC_URL: 'http://localhost:8420' }
  let service = await startService(home, { env })
  stack.defer(() => service.kill())
  const world = await RegisteringClients.at(service, random)
  const failures: string[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const before = world.changes
    let isCut = false
    const working = world.work(
      () => [service],
      () => isCut,
    )
    await sleep(random.between(shortestMs, longestMs))
    // A busy machine may take longer for the first registration than for a cut.
    const isTold = () => world.changes > before && (round > 1 || world.told > 0)
    while (!isTold()) await sleep(5)
    watched.close()
    isCut = true
    world.isDeaf = true
    await disk.cut()
    await service.kill()
    await working
    world.isDeaf = false
    await disk.restore()
    service = await startService(home, { env })
    // Nothing is sent until these are looked at: what DataCite has is from before the cut.
    failures.push(...(await findTooPublic(service, datacite)))
    failures.push(...(await world.findForgotten(service)))
    watched.open()
    say(`cut ${round} of ${rounds}: ${world.changes} changes, ${datacite.requests.length} requests`)
  }
  datacite.misbehave()
  failures.push(...(await becomeQuiet(service)))
  failures.push(...(await world.compare(service, datacite)))
  return {
    failures,
    figures: {
      cuts: rounds,
      changes: world.changes,
      'told to be registered': world.told,
      ...figuresOf(datacite),
      wrong: failures.length,
    },
  }
}
