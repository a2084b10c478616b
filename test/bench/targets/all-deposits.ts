import { Client } from '../client.ts'
import { FullText } from '../full-text.ts'
import { asked, searchFor } from '../searches.ts'
import { median } from '../statistics.ts'
import type { Measurement } from '../target.ts'
import { thousands } from '../units.ts'

/** No search is begun after this many seconds of a round, except the first. */
const limitSeconds = 10

/** Searches of an administrator, who finds the deposits of all users. */
export const allSearches: Measurement = {
  targets: [
    {
      id: 'P10',
      what: ({ manyDeposits }) =>
        `an administrator’s search of ${thousands(manyDeposits)} deposits, median`,
      against: () => 'the best ten by SQLite’s FTS5 alone',
      unit: 'ms',
      reach: { atMost: 3 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const { manyDeposits } = workshop.scale
    const fullText = stack.use(new FullText(await workshop.folder(stack), manyDeposits))
    const { url, adminToken } = await workshop.daemonWith(manyDeposits)
    const client = stack.use(new Client(adminToken))
    await requireSame(client, url, fullText)
    return async () => {
      const [measured, reference]: [number[], number[]] = [[], []]
      const end = performance.now() + limitSeconds * 1000
      for (const query of asked) {
        measured.push(await client.time(searchFor(query, url)))
        reference.push(fullText.time(query))
        if (performance.now() > end) break
      }
      return { P10: { measured: median(measured), reference: median(reference) } }
    }
  },
}

/** @throws {Error} the daemon finds more or fewer than the reference does */
async function requireSame(client: Client, url: string, reference: FullText): Promise<void> {
  const [query = ''] = asked
  const { hits } = (await client.json(searchFor(query, url))) as Answer
  const count = reference.count(query)
  if (hits.total !== count) throw new Error(`${query}: ${hits.total} are found, not ${count}`)
}

interface Answer {
  readonly hits: { readonly total: number }
}
