import { dataciteSettings } from '../../support/doi-daemon.ts'
import { Client } from '../client.ts'
import { startDaemon, type Daemon } from '../daemon.ts'
import { startDatacite } from '../datacite.ts'
import { median } from '../statistics.ts'
import type { Measurement } from '../target.ts'

/** Time that DataCite takes to answer. Milliseconds. */
const answerMs = 500
/** Records that are published in a round: each has a DOI, and so has its concept. */
const recordsOfRound = 60

/** DOIs are registered behind those who publish. */
export const registrations: Measurement = {
  targets: [
    {
      id: 'P27a',
      what: () => `registrations of DOIs in flight while DataCite answers in ${answerMs} ms`,
      unit: 'at once',
      reach: { atLeast: 8 },
    },
    {
      id: 'P27b',
      what: () => 'publish in the meantime, median',
      against: () => 'the same without DOIs',
      unit: 'ms',
      reach: { atMost: 1.1 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const datacite = stack.use(await startDatacite(answerMs))
    const home = await workshop.home(stack)
    const env = await dataciteSettings(home.path, datacite.url)
    const registering = stack.use(await startDaemon({ ...home, env }))
    const plain = stack.use(await startDaemon(await workshop.home(stack)))
    let published = 0
    return async () => {
      const [measured, reference] = await publishInTurns(registering, plain)
      published += recordsOfRound
      const inFlight = await datacite.untilAnswered(2 * published)
      return {
        P27a: { measured: median(inFlight) },
        P27b: { measured: median(measured), reference: median(reference) },
      }
    }
  },
}

/** Publishes at one daemon and at the other, in turns. @returns the milliseconds of each */
async function publishInTurns(
  ...daemons: readonly [Daemon, Daemon]
): Promise<readonly [readonly number[], readonly number[]]> {
  const [one, other]: [number[], number[]] = [[], []]
  using client = new Client(daemons[0].token)
  using otherClient = new Client(daemons[1].token)
  for (let count = 0; count < recordsOfRound; count += 1) {
    const [draft, another] = [await daemons[0].draft(), await daemons[1].draft()]
    one.push(await client.time(draft.links.publish, 'POST', {}))
    other.push(await otherClient.time(another.links.publish, 'POST', {}))
  }
  return [one, other]
}
