import { Client, timeEach } from '../client.ts'
import { ownDeposits, type Scale } from '../scale.ts'
import { asked, listOfTen, searchFor } from '../searches.ts'
import { median, percentile } from '../statistics.ts'
import type { Measurement } from '../target.ts'
import { thousands } from '../units.ts'
import type { Workshop } from '../workshop.ts'

/** Enough requests for a 99th percentile; fewer for slow ones. */
const amount = { requests: 300, limitSeconds: 3 } as const

const among = ({ manyDeposits }: Scale): string =>
  `an owner’s ${thousands(ownDeposits)} among ${thousands(manyDeposits)} deposits`

/** A list of one's own deposits costs the same however many deposits others have. */
export const lists: Measurement = {
  targets: [
    {
      id: 'P8',
      what: (scale) => `list of ten of ${among(scale)}, median`,
      against: () => `the same among ${thousands(ownDeposits)}`,
      unit: 'ms',
      reach: { atMost: 1.3 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const [few, many] = await Promise.all([
      ownerOf(ownDeposits, workshop, stack),
      ownerOf(workshop.scale.manyDeposits, workshop, stack),
    ])
    return async () => {
      const reference = median(await few(list))
      return { P8: { measured: median(await many(list)), reference } }
    }
  },
}

export const ownSearches: Measurement = {
  targets: [
    {
      id: 'P9a',
      what: (scale) => `search of ${among(scale)}, median`,
      against: ({ fewerDeposits }) => `the same among ${thousands(fewerDeposits)}`,
      unit: 'ms',
      reach: { atMost: 1.3 },
    },
    {
      id: 'P9b',
      what: (scale) => `search of ${among(scale)}, p99`,
      against: () => 'GET of one of them, median',
      unit: 'ms',
      reach: { atMost: 20 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const { fewerDeposits, manyDeposits } = workshop.scale
    const [fewer, many] = await Promise.all([
      ownerOf(fewerDeposits, workshop, stack),
      ownerOf(manyDeposits, workshop, stack),
    ])
    return async () => {
      const reference = median(await fewer(search))
      const times = await many(search)
      const item = median(await many(get))
      return {
        P9a: { measured: median(times), reference },
        P9b: { measured: percentile(times, 0.99), reference: item },
      }
    }
  },
}

/** The requests, in turn. */
type ToUrls = (origin: string, item: string) => readonly string[]

const list: ToUrls = (origin) => [listOfTen(origin)]
const search: ToUrls = (origin) => asked.map((query) => searchFor(query, origin))
const get: ToUrls = (_origin, item) => [item]

interface Listing {
  readonly hits: { readonly hits: readonly { readonly links: { readonly self: string } }[] }
}

/** Times requests of the owner of a thousand at a daemon with this many deposits, in milliseconds. */
async function ownerOf(
  deposits: number,
  workshop: Workshop,
  stack: AsyncDisposableStack,
): Promise<(toUrls: ToUrls) => Promise<readonly number[]>> {
  const { url, token } = await workshop.daemonWith(deposits)
  const client = stack.use(new Client(token))
  const { hits } = (await client.json(listOfTen(url))) as Listing
  const [first] = hits.hits
  if (!first) throw new Error(`${url} lists nothing`)
  return (toUrls) => timeEach(client, toUrls(url, first.links.self), amount)
}
