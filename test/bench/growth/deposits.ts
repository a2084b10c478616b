import { Client, timeEach } from '../client.ts'
import { asked, listOfTen, searchFor } from '../searches.ts'
import { settled } from '../settle.ts'
import { smallDocument } from '../small-document.ts'
import { median } from '../statistics.ts'
import type { Growth } from './curve.ts'

const counts = [100, 1000, 10_000, 100_000, 1_000_000] as const

/** The number of requests, lower for slow ones. */
const amount = { requests: 200, limitSeconds: 10 } as const

export const deposits: Growth = {
  id: 'deposits',
  title: 'A service with many deposits, of which an owner has a thousand',
  x: { label: 'deposits of all users', unit: 'count' },
  y: { label: 'time', unit: 's' },
  obstacle: () => undefined,
  amounts: ({ scale }) => counts.filter((count) => count <= scale.manyDeposits),
  prepare: async (workshop) => async (count) => {
    const daemon = await workshop.daemonWith(count)
    using owner = new Client(daemon.token)
    using admin = new Client(daemon.adminToken)
    const { url, readyMs } = daemon
    const { links } = await daemon.draft()
    const list = [listOfTen(url)]
    const searches = asked.map((query) => searchFor(query, url))
    const creating = await secondsToCreate(owner, `${url}/api/deposits`)
    // The first search may start the building of an index.
    await admin.time(searchFor('anything', url))
    await settled(daemon)
    return {
      'start of depositd': readyMs / 1000,
      'creating a deposit': creating,
      'GET of a deposit': await secondsOf(owner, [links.self]),
      'an owner’s list of ten': await secondsOf(owner, list),
      'an owner’s search': await secondsOf(owner, searches),
      'an administrator’s list': await secondsOf(admin, list),
      'an administrator’s search': await secondsOf(admin, searches),
    }
  },
}

async function secondsOf(client: Client, urls: readonly string[]): Promise<number> {
  // The first request builds or loads what the others need.
  await client.time(urls[0] ?? '')
  return median(await timeEach(client, urls, amount)) / 1000
}

async function secondsToCreate(client: Client, url: string): Promise<number> {
  const times: number[] = []
  while (times.length < 50) times.push(await client.time(url, 'POST', smallDocument))
  return median(times) / 1000
}
