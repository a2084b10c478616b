import { Client } from '../client.ts'
import { curlAs } from '../curl.ts'
import type { Daemon } from '../daemon.ts'
import { documentOf } from '../documents.ts'
import { putRate, requestRate, type Load } from '../load.ts'
import { listOfTen, searchFor } from '../searches.ts'
import { smallDocument as json } from '../small-document.ts'
import { seconds } from '../timing.ts'
import { bytes, thousands } from '../units.ts'
import type { Workshop } from '../workshop.ts'

/** Connections of all clients together. */
const connections = 32
/** Deposits of the user, in lists and searches. */
const listed = 1000
/** Drafts that are published in a round. */
const published = 320
/** Large files under way at once, and the share of the largest file that each of them is. */
const together = 4
const share = 1 / 16

const MiB = 2 ** 20

/** What is asked of a fleet. */
export interface Work {
  readonly id: string
  readonly what: string
  /** What `run` counts. */
  readonly unit: '/s' | 'MiB/s'
  /** Makes what each run needs anew. */
  readonly before?: () => Promise<unknown>
  /** Does it once. */
  readonly run: () => Promise<Done>
}

interface Done {
  /** Requests, or MiB. */
  readonly done: number
  readonly seconds: number
}

/**
 * Makes what the works need; their order is that of the columns. Creating comes last: it makes more
 * deposits where it is faster.
 */
export async function prepareWorks(
  daemons: readonly [Daemon, ...Daemon[]],
  workshop: Workshop,
): Promise<readonly Work[]> {
  const { scale } = workshop
  const { token } = daemons[0]
  const [{ links }] = [await daemons[0].draft()]
  const at = (daemon: Daemon, url: string): string => daemon.url + new URL(url).pathname
  await inLanes(daemons, listed, (daemon, client, index) =>
    client.time(`${daemon.url}/api/deposits`, 'POST', documentOf(index)),
  )
  const large = scale.largeFile * share
  const file = await workshop.file(large)
  const buckets = await Promise.all(Array.from({ length: connections }, () => daemons[0].draft()))
  const paths = buckets.map((draft) => new URL(draft.links.bucket).pathname)
  const word = rareWord()

  const requests = async (rateOf: (daemon: Daemon, load: Omit<Load, 'url'>) => Promise<number>) => {
    const each = Math.round(connections / daemons.length)
    const load = { seconds: scale.loadSeconds, token, connections: each }
    const rates = await Promise.all(daemons.map((daemon) => rateOf(daemon, load)))
    const rate = rates.reduce((sum, one) => sum + one, 0)
    return { done: rate * scale.loadSeconds, seconds: scale.loadSeconds }
  }
  const moveAll = async (move: (url: string) => Promise<unknown>): Promise<Done> => {
    const moves = Array.from({ length: together }, (_, index) =>
      move(`${at(daemons[index % daemons.length] ?? daemons[0], links.bucket)}/${index}.bin`),
    )
    const taken = await seconds(() => Promise.all(moves))
    return { done: (together * large) / MiB, seconds: taken }
  }
  const drafts: string[] = []
  const makeDrafts = async (): Promise<void> => {
    drafts.length = 0
    await inLanes(daemons, published, async (daemon) => {
      drafts.push((await daemon.draft()).links.publish)
    })
  }
  const publish = async (): Promise<Done> => {
    const taken = await seconds(() =>
      inLanes(daemons, published, (daemon, client, index) =>
        client.time(at(daemon, drafts[index] ?? ''), 'POST'),
      ),
    )
    return { done: published, seconds: taken }
  }
  const size = bytes(large)
  return [
    {
      id: 'read',
      what: 'GET of a deposit',
      unit: '/s',
      run: () => requests((daemon, load) => requestRate({ ...load, url: at(daemon, links.self) })),
    },
    {
      id: 'put',
      what: 'PUT of 4 KiB',
      unit: '/s',
      run: () => requests(({ url }, load) => putRate({ ...load, url, paths })),
    },
    {
      id: 'send',
      what: `${together} files of ${size} sent`,
      unit: 'MiB/s',
      run: () => moveAll((url) => curlAs(token, '-T', file, url)),
    },
    {
      id: 'fetch',
      what: `${together} files of ${size} fetched`,
      unit: 'MiB/s',
      run: () => moveAll((url) => curlAs(token, url)),
    },
    {
      id: 'list',
      what: `list of ten of ${thousands(listed)}`,
      unit: '/s',
      run: () => requests(({ url }, load) => requestRate({ ...load, url: listOfTen(url) })),
    },
    {
      id: 'search',
      what: 'search of them',
      unit: '/s',
      run: () => requests(({ url }, load) => requestRate({ ...load, url: searchFor(word, url) })),
    },
    { id: 'publish', what: 'publish', unit: '/s', before: makeDrafts, run: publish },
    {
      id: 'create',
      what: 'creating',
      unit: '/s',
      run: () =>
        requests(({ url }, load) => requestRate({ ...load, url: `${url}/api/deposits`, json })),
    },
  ]
}

/** A word that some twenty of the listed deposits have. */
function rareWord(): string {
  const counts = new Map<string, number>()
  for (let index = 0; index < listed; index += 1) {
    const { title, description } = documentOf(index)
    const words = new Set(`${title} ${description}`.split(' '))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].find(([, count]) => count === 20)?.[0] ?? ''
}

/** Runs `one` this many times, as many at once as there are connections, at each daemon in turn. */
async function inLanes(
  daemons: readonly [Daemon, ...Daemon[]],
  count: number,
  one: (daemon: Daemon, client: Client, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const lane = async (_: unknown, number: number): Promise<void> => {
    const daemon = daemons[number % daemons.length] ?? daemons[0]
    using client = new Client(daemon.token)
    while (next < count) await one(daemon, client, next++)
  }
  await Promise.all(Array.from({ length: connections }, lane))
}
