import { Client } from '../client.ts'
import { asked, listOfTen, searchFor } from '../searches.ts'
import { settled } from '../settle.ts'
import type { Growth } from './curve.ts'
import { secondsOf, secondsToCreate } from './typical.ts'

const counts = [100, 1000, 10_000, 100_000, 1_000_000] as const

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
    const creating = await secondsToCreate(owner, url)
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
