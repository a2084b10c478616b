import { setTimeout } from 'node:timers/promises'
import { Client } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { FullText } from '../full-text.ts'
import { asked, listOfTen, searchFor } from '../searches.ts'
import { median } from '../statistics.ts'
import type { Measurement } from '../target.ts'
import { thousands } from '../units.ts'

/** No search is begun after these seconds of a round; the first is always made. */
const limitSeconds = 10

/** How long a daemon may take after its start until it finds everything. */
const levelSeconds = 600

/** An administrator finds what is anybody's. */
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
    const home = await workshop.homeWith(manyDeposits)
    const { url, adminToken } = stack.use(await startDaemon(home))
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

/** Waits until the daemon finds as many as the reference does. @throws {Error} it never does */
async function requireSame(client: Client, url: string, reference: FullText): Promise<void> {
  const [query = ''] = asked
  const end = performance.now() + levelSeconds * 1000
  for (;;) {
    const { hits } = (await client.json(searchFor(query, url))) as Answer
    const count = reference.count(query)
    if (hits.total === count) return
    const difference = `${hits.total} deposits are found, not ${count}`
    if (performance.now() > end) throw new Error(`${listOfTen(url)}&q=${query}: ${difference}`)
    await setTimeout(1000)
  }
}

interface Answer {
  readonly hits: { readonly total: number }
}
