import { statfs } from 'node:fs/promises'
import { Gauge } from 'prom-client'
import type { Parts } from '../../core/index.ts'
import type { Metrics } from './metrics.ts'

/** How long the counts over all rows are good: they cost more than the rest together. */
const countsMs = 60_000

/** What is asked for when the figures are read. */
export function addGauges({ registry }: Metrics, parts: Parts, home: string): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => made.set(await read()),
    })
  }
  const totals = remembered(() => parts.database.upkeep.checkTotals())
  gauge('deposit_degraded', '1 where the store failed and takes no more writes.', () =>
    Number(!parts.database.isWritable() || parts.blobs.health !== 'sound'),
  )
  gauge('deposit_disk_free_bytes', 'Room on the file system of the home.', async () => {
    const { bavail, bsize } = await statfs(home)
    return bavail * bsize
  })
  gauge('deposit_search_ready', '0 while an index is made; slow till then.', async () =>
    Number(await parts.search.ready()),
  )
  gauge('deposit_blobs', 'Files that are stored, each version.', async () => (await totals()).blobs)
  gauge('deposit_blobs_damaged', 'Blobs that were found damaged.', () =>
    parts.database.upkeep.damaged(),
  )
  gauge(
    'deposit_blobs_never_checked',
    'Blobs that were not read back since they were written.',
    async () => (await totals()).never,
  )
  gauge(
    'deposit_scrub_oldest_timestamp_seconds',
    'When the blob that waits longest was last read back; 0 for none.',
    async () => Date.parse((await totals()).oldest ?? '1970-01-01') / 1000,
  )
}

function remembered<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined
  let until = -Infinity
  return () => {
    if (!known || performance.now() > until) {
      known = read()
      until = performance.now() + countsMs
    }
    return known
  }
}
