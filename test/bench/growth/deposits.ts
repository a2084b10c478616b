import { Client, timeEach } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { asked, listOfTen, searchFor } from '../searches.ts'
import { median } from '../statistics.ts'
import type { Growth } from './curve.ts'

const counts = [100, 1000, 10_000, 100_000, 1_000_000] as const

/** What takes long is asked for less often. */
const amount = { requests: 200, limitSeconds: 10 } as const

export const deposits: Growth = {
  id: 'deposits',
  title: 'A service with many deposits (an owner has up to 1,000 of them)',
  x: { label: 'deposits of all users', unit: 'count' },
  y: { label: 'time', unit: 's' },
  obstacle: () => undefined,
  amounts: ({ scale }) => counts.filter((count) => count <= scale.manyDeposits),
  prepare: async (workshop) => async (count) => {
    const home = await workshop.homeWith(count)
    await using daemon = await startDaemon(home)
    const { url, readyMs } = daemon
    const draft = await daemon.draft()
    using client = new Client(home.token)
    using admin = new Client(home.adminToken)
    const searches = asked.map((query) => searchFor(query, url))
    const secondsOf = async (by: Client, urls: readonly string[]): Promise<number> => {
      // The first builds what it needs, or wakes it.
      await by.time(urls[0] ?? '')
      return median(await timeEach(by, urls, amount)) / 1000
    }
    return {
      'start of depositd': readyMs / 1000,
      'GET of a deposit': await secondsOf(client, [draft.links.self]),
      'an owner’s list of ten': await secondsOf(client, [listOfTen(url)]),
      'an owner’s search': await secondsOf(client, searches),
      'an administrator’s list of ten': await secondsOf(admin, [listOfTen(url)]),
      'an administrator’s search': await secondsOf(admin, searches),
    }
  },
}
