import { asked, listOfTen, searchFor } from '../searches.ts'
import type { Side } from './side.ts'

/** An operation of a client, with its time in milliseconds. */
export interface Operation {
  readonly what: string
  /** @param turn selects another query each time */
  readonly time: (side: Side, turn: number) => Promise<number>
}

const content = Buffer.alloc(4096, 'tide')

const query = (turn: number): string => asked[turn % asked.length] ?? ''

/** Undoes a change of rows; a record stays. */
export const operations: readonly Operation[] = [
  {
    what: 'list, an owner of 1,000',
    time: ({ daemon, owner }) => owner.time(listOfTen(daemon.url)),
  },
  {
    what: 'list, an administrator',
    time: ({ daemon, admin }) => admin.time(listOfTen(daemon.url)),
  },
  {
    what: 'search, an owner of 1,000',
    time: ({ daemon, owner }, turn) => owner.time(searchFor(query(turn), daemon.url)),
  },
  {
    what: 'search, an administrator',
    time: ({ daemon, admin }, turn) => admin.time(searchFor(query(turn), daemon.url)),
  },
  {
    what: 'search of records, anybody',
    time: ({ daemon, visitor }, turn) =>
      visitor.time(searchFor(query(turn), daemon.url).replace('/deposits/', '/records/')),
  },
  {
    what: 'create',
    time: ({ daemon, owner }) =>
      owner.time(`${daemon.url}/api/deposits`, 'POST', { title: 'For measuring' }),
  },
  {
    what: 'upload of 4 KiB',
    time: async ({ daemon, owner }) => {
      const { links } = await daemon.draft()
      return timeOf(() => owner.put(`${links.bucket}/tide.csv`, content))
    },
  },
  {
    what: 'publish with a file',
    time: async ({ daemon, owner }) => {
      const { links } = await daemon.draft()
      await owner.put(`${links.bucket}/tide.csv`, content)
      return owner.time(links.publish, 'POST', {})
    },
  },
]

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
