import { setTimeout as sleep } from 'node:timers/promises'
import { dataciteSettings } from '../../support/doi-daemon.ts'
import { Client } from '../client.ts'
import type { Daemon, Draft } from '../daemon.ts'
import { startDatacite } from '../datacite.ts'
import { median } from '../statistics.ts'
import type { Growth } from './curve.ts'
import { grown, uuidOf, upToAMillion } from './grown.ts'
import { secondsOf, secondsToDo } from './typical.ts'

/** When those that wait are tried again: later than this is measured. Milliseconds. */
const dueInMs = 6 * 3_600_000

export const outbox: Growth = {
  id: 'outbox',
  title: 'A service whose DOIs wait for DataCite',
  x: { label: 'identifiers that wait', unit: 'count' },
  ...upToAMillion,
  prepare: async (workshop, shared) => {
    const datacite = shared.use(await startDatacite(0))
    return async (count) => {
      await using stack = new AsyncDisposableStack()
      const { daemon, made } = await grown(workshop, stack, {
        env: ({ path }) => dataciteSettings(path, datacite.url),
        make: async (first) => {
          const draft = await first.draft()
          await untilRegistered(first, draft)
          return draft
        },
        copy: ({ row, add }, { id }) => {
          const doi = row('identifiers', `deposit_id = '${id}' AND object = 'record'`)
          const due = new Date(Date.now() + dueInMs).toISOString()
          const waiting = { change: 1, attempts: 3, unsure: 0, due, holder: null, held_until: null }
          for (let n = 1; n <= count; n += 1) {
            const value = `10.5072/waits-${n}`
            add('identifiers', {
              ...doi,
              value,
              subject: uuidOf(n),
              deposit_id: uuidOf(n),
              status: 'pending',
            })
            add('identifier_outbox', { value, ...waiting })
          }
        },
      })
      using owner = new Client(daemon.token)
      using admin = new Client(daemon.adminToken)
      return {
        'GET of a record': await secondsOf(owner, [made.links.self]),
        publish: await secondsToDo(async () =>
          owner.time((await daemon.draft()).links.publish, 'POST', {}),
        ),
        'until a DOI is registered': await medianWait(daemon),
        'what waits, for administrators': await secondsOf(admin, [`${daemon.url}/api/admin/work`]),
        'the metrics': await secondsOf(owner, [`${daemon.url}/metrics`]),
      }
    }
  },
}

async function medianWait(daemon: Daemon): Promise<number> {
  const waits: number[] = []
  while (waits.length < 10) waits.push(await untilRegistered(daemon, await daemon.draft()))
  return median(waits)
}

/** Publishes a draft. @returns seconds until DataCite has its DOI */
async function untilRegistered({ token }: Daemon, { links }: Draft): Promise<number> {
  using client = new Client(token)
  const started = performance.now()
  await client.time(links.publish, 'POST', {})
  for (;;) {
    const { pids } = (await client.json(links.self)) as Registered
    if (pids?.doi?.status === 'registered') return (performance.now() - started) / 1000
    await sleep(10)
  }
}

interface Registered {
  readonly pids?: { readonly doi?: { readonly status: string } }
}
