/**
 * Takes PostgreSQL away from a daemon in the middle of its work: stops it at once, as a crash does,
 * and cuts its connections. Once it is back, every promise must hold.
 *
 *     npm run test:faults -- database-away
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionCutter } from '../../support/connection-cutter.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { startService } from '../service.ts'
import { takeAway, type Trouble } from './take-away.ts'

export const databaseAway: Experiment = {
  name: 'database-away',
  claim:
    'With PostgreSQL stopped at once and its connections cut, nothing acknowledged is lost, nothing is half there, and it heals in ten seconds.',
  obstacle: () => (hasPostgres() ? undefined : 'PostgreSQL is not installed'),
  run: takeDatabaseAway,
}

async function takeDatabaseAway(settings: Settings): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres({ durable: true }))
  const address = new URL(await server.database('away'))
  const cutter = stack.use(await connectionCutter(`http://${address.host}`))
  address.host = new URL(cutter.url).host
  const { path } = stack.use(await temporaryFolder())
  const env = { DEPOSIT_DATABASE_URL: address.href }
  const service = await startService(join(path, 'home'), { env })
  stack.defer(() => service.kill())
  const crashed: Trouble = async () => server.crash()
  const cut: Trouble = async (random) => {
    for (let time = 0; time < 5; time += 1) {
      cutter.cutAfter(random.between(0, 20_000))
      await sleep(random.between(20, 200))
    }
  }
  return await takeAway(service, { crashed, cut }, settings)
}
