/**
 * Searches for each deposit in the request after the one that created it, while others write.
 *
 *     npm run test:faults -- found-at-once                  1,000 deposits
 */
import { join } from 'node:path'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { User } from '../../support/user.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService } from '../service.ts'
import { Tester } from '../tester.ts'

const clients = 8

export const foundAtOnce: Experiment = {
  name: 'found-at-once',
  claim: 'The next search finds every change.',
  anywhere: true,
  obstacle: () => undefined,
  run: lookAfterEach,
}

async function lookAfterEach({ seed, rounds = 1000 }: Settings): Promise<Outcome> {
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const { user } = await Tester.at(service, new Random(seed))
    const each = Math.ceil(rounds / clients)
    const looking = Array.from({ length: clients }, (_, client) => missing(user, client, each))
    const failures = (await Promise.all(looking)).flat()
    const searches = each * clients
    return { figures: { searches, found: searches - failures.length }, failures }
  } finally {
    await service.kill()
  }
}

/** Deposits that a search should have found but did not. */
async function missing(user: User, client: number, count: number): Promise<readonly string[]> {
  const missed: string[] = []
  for (let at = 0; at < count; at += 1) {
    const word = `word${client}x${at}`
    const { id } = await user.createDraft({ title: word })
    const { hits } = (await user.search(`q=${word}`)).hits
    if (hits.length !== 1 || hits[0]?.id !== id)
      missed.push(`${word} was found ${hits.length} times`)
  }
  return missed
}
