/**
 * Takes the S3 server away from a daemon in the middle of its work: kills it, stops it, makes it
 * slow, cuts its connections. Once it is back, every promise must hold.
 *
 *     npm run test:faults -- store-away
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionCutter, type ConnectionCutter } from '../../support/connection-cutter.ts'
import { hasS3, s3Credentials, startS3, storeAt, type S3Server } from '../../support/s3.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { startService } from '../service.ts'
import { takeAway, type Trouble } from './take-away.ts'

export const storeAway: Experiment = {
  name: 'store-away',
  claim:
    'With the S3 server killed, stopped, slowed and cut, nothing acknowledged is lost, nothing is half there, and it heals in ten seconds.',
  obstacle: () => (hasS3() ? undefined : 'no S3 server is installed (python3-swift)'),
  run: takeStoreAway,
}

async function takeStoreAway(settings: Settings): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startS3())
  const cutter = stack.use(await connectionCutter(server.endpoint))
  const { path } = stack.use(await temporaryFolder())
  const env = { ...s3Credentials, DEPOSIT_STORAGE_URL: storeAt(cutter.url, 'away') }
  const service = await startService(join(path, 'home'), { env })
  stack.defer(() => service.kill())
  return await takeAway(service, troublesOf(server, cutter), settings)
}

function troublesOf(server: S3Server, cutter: ConnectionCutter): Readonly<Record<string, Trouble>> {
  return {
    killed: async (random) => {
      await server.kill()
      await sleep(random.between(100, 3000))
      await server.start()
    },
    stopped: async (random) => {
      server.signal('SIGSTOP')
      await sleep(random.between(500, 12_000))
      server.signal('SIGCONT')
    },
    slowed: async (random) => {
      for (let pause = 0; pause < 20; pause += 1) {
        server.signal('SIGSTOP')
        await sleep(random.between(20, 200))
        server.signal('SIGCONT')
        await sleep(random.between(5, 20))
      }
    },
    cut: async (random) => {
      for (let cut = 0; cut < 5; cut += 1) {
        cutter.cutAfter(random.between(0, 200_000))
        await sleep(random.between(20, 200))
      }
    },
  }
}
