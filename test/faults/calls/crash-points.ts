/**
 * Kills the daemon at each call of the system that an upload and a publish make, one after another,
 * and compares what is there afterwards with what the client was promised.
 *
 *     npm run test:faults -- crash-points
 *     npm run test:faults -- crash-points --rounds 3        the first three of each call alone
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tally } from '../tally.ts'
import { inject, injectionObstacle, threadsOf, type Thread } from './injection.ts'
import { ScriptedClient } from './scripted-client.ts'

const calls =
  'openat write writev pwrite64 pwritev fsync fdatasync fchmod rename link unlink ftruncate mkdir'
const threads: readonly Thread['name'][] = ['main', 'pool']

/** strace counts the calls of each thread for itself. */
export const onePoolThread = { env: { UV_THREADPOOL_SIZE: '1' } }

/** What the daemon does when nobody waits for it any more. */
export const afterwardsMs = 200

export const crashPoints: Experiment = {
  name: 'crash-points',
  claim:
    'Killed at any call of an upload and a publish, it has what it acknowledged, nothing by halves.',
  obstacle: injectionObstacle,
  run: killAtEachCall,
}

/** The daemon between two kills, and the one client it has. */
interface Victim {
  readonly home: string
  readonly folder: string
  readonly client: ScriptedClient
  readonly tally: Tally
}

async function killAtEachCall({ seed, rounds = Infinity, say }: Settings): Promise<Outcome> {
  const random = new Random(seed)
  const tally = new Tally()
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  let service = await startService(home, onePoolThread)
  const client = await ScriptedClient.at(service, random)
  const victim = { home, folder: folder.path, client, tally }
  try {
    for (const call of calls.split(' ')) {
      for (const thread of threads) {
        let at = 1
        for (; at <= rounds; at += 1) {
          const killed = await killAt(service, victim, { thread, call, at })
          if (!killed) break
          service = killed
        }
        say(
          `${call} of the ${thread} thread: ${at - 1} points, ${tally.line(client.crowd.acknowledged)}`,
        )
      }
    }
    tally.addCrowd(client.crowd)
    await tally.check(service)
  } finally {
    await service.kill()
  }
  return { figures: tally.figures('crash points'), failures: tally.failures() }
}

interface Point {
  readonly thread: Thread['name']
  readonly call: string
  readonly at: number
}

/** Answers the service that was started again; undefined where the call was never made. */
async function killAt(
  service: Service,
  { home, folder, client, tally }: Victim,
  { thread, call, at }: Point,
): Promise<Service | undefined> {
  await client.create(service)
  const found = (await threadsOf(service.pid)).find(({ name }) => name === thread)
  if (!found) return undefined
  const injection = await inject(found, { call, effect: 'signal=SIGKILL', at }, folder)
  await client.uploadAndPublish(service)
  await sleep(afterwardsMs)
  const trace = await injection.end()
  if (!trace.some((line) => line.includes('killed by SIGKILL'))) {
    tally.add(await client.compare(service))
    return undefined
  }
  await service.ended
  tally.round()
  tally.pending(client.crowd.pending)
  const next = await startService(home, onePoolThread)
  await tally.started(next)
  tally.add(await client.compare(next))
  return next
}
