import { startPostgres, hasPostgres } from '../../support/postgres.ts'
import { startDaemon, type Daemon } from '../daemon.ts'
import { makeHome } from '../home.ts'
import { putRate, requestRate } from '../load.ts'
import type { Measurement, Target } from '../target.ts'
import { missing } from '../tools.ts'
import { smallDocument as json } from '../small-document.ts'

const target = {
  against: () => 'the same with the rows in SQLite',
  unit: '/s',
  reach: { atLeast: 0.4 },
} as const satisfies Partial<Target>

/** Deposits that files are put into, so many at the same time. */
const buckets = 32

/** With rows in PostgreSQL, beside a daemon whose rows are in its home. */
export const postgres: Measurement = {
  targets: [
    { ...target, id: 'P29a', what: () => 'creating deposits, rows in PostgreSQL, 32 connections' },
    { ...target, id: 'P29b', what: () => 'PUT of files of 4 KiB into 32 deposits' },
    { ...target, id: 'P29c', what: () => 'GET of a deposit, 32 connections' },
    {
      id: 'P29d',
      what: () => 'transactions that PostgreSQL refused meanwhile, of units that touch one deposit',
      unit: 'times',
      reach: { atMost: 0 },
    },
  ],
  obstacle: () => missing('wrk') ?? (hasPostgres() ? undefined : 'not installed: postgresql-15'),
  prepare: async (workshop, stack) => {
    const { loadSeconds: seconds } = workshop.scale
    let refused = 0
    const heard = (line: string): void => {
      if (/could not serialize|deadlock detected|division by zero/.test(line)) refused += 1
    }
    const server = stack.use(await startPostgres({ durable: true, heard }))
    const env = { DEPOSIT_DATABASE_URL: await server.database('bench') }
    const home = await makeHome(await workshop.folder(stack), env)
    const daemons = {
      measured: stack.use(await startDaemon(home)),
      reference: stack.use(await startDaemon(await workshop.home(stack))),
    }
    const inBoth = async (rateOf: (daemon: Daemon) => Promise<number>) => {
      const measured = await rateOf(daemons.measured)
      return { measured, reference: await rateOf(daemons.reference) }
    }
    return async () => {
      refused = 0
      const created = await inBoth(({ url, token }) =>
        requestRate({ url: `${url}/api/deposits`, seconds, json, token }),
      )
      const put = await inBoth(async (daemon) => {
        const drafts = await Promise.all(Array.from({ length: buckets }, () => daemon.draft()))
        const paths = drafts.map(({ links }) => new URL(links.bucket).pathname)
        return putRate({ url: daemon.url, seconds, token: daemon.token, paths })
      })
      const read = await inBoth(async (daemon) => {
        const { links } = await daemon.draft()
        return requestRate({ url: links.self, seconds, token: daemon.token })
      })
      return { P29a: created, P29b: put, P29c: read, P29d: { measured: refused } }
    }
  },
}
