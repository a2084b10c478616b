import { stat, statfs } from 'node:fs/promises'
import { Counter, Gauge } from 'prom-client'
import type { Parts } from '../../../core/index.ts'
import { healthParts, type Health } from '../../stores/health.ts'
import type { Home } from '../../home/home.ts'
import type { IssuerWatch } from '../../sign-in/external/issuer-watch.ts'
import type { Metrics } from './metrics.ts'

/** How long the counts over all rows are good: they cost more than the rest together. */
const countsMs = 60_000

/** The parts that the figures are read from. */
export interface Observed {
  readonly parts: Parts
  readonly health: Health
  readonly home: Home
  readonly version: string
}

/** Figures that are read when they are asked for. */
export function addGauges({ registry }: Metrics, { parts, health, home, version }: Observed): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => made.set(await read()),
    })
  }
  const { database } = parts
  const totals = remembered(() => database.upkeep.checkTotals())
  gauge('deposit_degraded', '1 where something fails: deposit_fault says what.', async () =>
    Number((await health.faults()).length > 0),
  )
  const labelled = (name: string, help: string, labels: string[]): Gauge =>
    new Gauge({ name, help, labelNames: labels, registers: [registry] })
  const fault = new Gauge({
    name: 'deposit_fault',
    help: '1 for each part that fails: the database, the store of files, the disk (full), the home.',
    labelNames: ['part'],
    registers: [registry],
    collect: async () => {
      const faults = await health.faults()
      for (const part of healthParts) fault.set({ part }, Number(faults.includes(part)))
    },
  })
  labelled('deposit_info', 'The program that runs; always 1.', ['version']).set({ version }, 1)
  gauge('deposit_backup_age_seconds', 'Since the last backup; +Inf for none.', () =>
    backupAge(home),
  )
  const rows = remembered(() => countRows(parts))
  gauge('deposit_users', 'Accounts.', async () => (await rows()).users)
  gauge('deposit_drafts', 'Deposits that are drafts.', async () => (await rows()).drafts)
  gauge('deposit_records', 'Records that can be read.', async () => (await rows()).records)
  gauge(
    'deposit_stored_bytes',
    'Bytes of all files, each version.',
    async () => (await totals()).size,
  )
  gauge('deposit_disk_free_bytes', 'Room on the file system of the home.', async () => {
    const { bavail, bsize } = await statfs(home.root)
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

/** Seconds. `depositd backup` leaves the file; scripts that back up by other means touch it. */
async function backupAge({ lastBackup }: Home): Promise<number> {
  const found = await stat(lastBackup).catch(() => undefined)
  return found ? Math.max(0, (Date.now() - found.mtimeMs) / 1000) : Infinity
}

async function countRows({ database: { read } }: Pick<Parts, 'database'>) {
  const [users, deposits, records] = await Promise.all([
    read.accounts.count(),
    read.deposits.countByStatus({ of: 'deposits' }),
    read.records.count(),
  ])
  return { users, drafts: deposits.draft, records }
}

/** A failed reading is repeated by the next request. */
function remembered<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined
  let until = -Infinity
  return () => {
    if (!known || performance.now() > until) {
      const asked = read()
      known = asked
      until = performance.now() + countsMs
      asked.catch(() => {
        if (known === asked) known = undefined
      })
    }
    return known
  }
}

/** Figures of an institution's issuer, where there is one. */
export function addIssuerFigures({ registry }: Metrics, watch: IssuerWatch): void {
  const registers = [registry]
  new Gauge({
    name: 'deposit_issuer_reachable',
    help: '0 where the issuer of access tokens does not answer, or is not who it should be.',
    registers,
    collect() {
      this.set(Number(!watch.isFailing))
    },
  })
  new Counter({
    name: 'deposit_issuer_failures_total',
    help: 'Times the issuer of access tokens could not be asked.',
    registers,
    collect() {
      this.reset()
      this.inc(watch.failures)
    },
  })
}
