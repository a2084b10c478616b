import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { scrub, systemClock, type Parts } from '../../core/index.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { openDatabase } from '../../daemon/stores/open-stores.ts'
import { openBlobs } from '../../daemon/stores/storages.ts'
import { clockReading } from '../support/clock-reading.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { flipByte } from './damage.ts'
import { homeWithData } from './home-with-data.ts'

type Scrubbed = Pick<Parts, 'database' | 'blobs' | 'clock'>

const then = { before: '2026-01-03T12:00:00.000Z', now: '2026-01-04T12:00:00.000Z' }

/** Rates without any delay. */
const fast = { bytesPerSecond: 1e12, againMs: 86_400_000, restMs: 10 }

describe('the scrub', () => {
  it('reads every blob once per period', async () => {
    await using home = await homeWithData()
    await onHome(home.path, async (parts) => {
      await scrubUntil(parts, async () => (await parts.database.upkeep.checkTotals()).never === 0)
      const first = await parts.database.upkeep.checkTotals()
      await scrubUntil(parts, async () => true)

      expect(first).toMatchObject({ blobs: 5, never: 0, damaged: 0 })
      expect(await parts.database.upkeep.checkTotals()).toEqual(first)
    })
  })

  it('reads the blobs that are due, and leaves none with an older check', async () => {
    await using home = await homeWithData()
    home.edit(`UPDATE blobs SET checked = '2026-01-0' || (rowid % 9 + 1) || 'T00:00:00.000Z'`)
    await onHome(home.path, async (parts) => {
      const clock = clockReading(() => then.now)
      const due = await parts.database.upkeep.dueBlobs(then, 10)
      await scrubUntil({ ...parts, clock }, async () => (await stillDue(parts)) === 0)

      expect(due.length).toBeGreaterThan(0)
      const { oldest } = await parts.database.upkeep.checkTotals()
      expect(oldest).toBeDefined()
      expect(String(oldest) >= '2026-01-03T12:00:00.000Z').toBe(true)
    })
  })

  it('reports and remembers damage until the bytes are back', async () => {
    await using home = await homeWithData()
    const [blob = ''] = home.blobs
    await flipByte(blob)
    let told: readonly string[] = []
    await onHome(home.path, async (parts) => {
      const isFound = async () => (await parts.database.upkeep.damaged()) === 1
      told = await scrubUntil(parts, isFound)
    })
    await flipByte(blob)
    home.edit(`UPDATE blobs SET checked = NULL`)
    await onHome(home.path, async (parts) => {
      await scrubUntil(parts, async () => (await parts.database.upkeep.damaged()) === 0)
    })

    expect(told).toEqual(['has bytes that do not match its digest'])
  })

  it('continues in another process after a stop', async () => {
    await using home = await homeWithData()
    home.edit(`UPDATE blobs SET checked = '2026-11-01T00:00:00.000Z' WHERE rowid > 2`)
    const clock = clockReading(() => '2026-11-01T01:00:00.000Z')
    await onHome(home.path, async (parts) => {
      await scrubUntil(
        { ...parts, clock },
        async () => (await parts.database.upkeep.checkTotals()).never === 0,
      )

      const { oldest } = await parts.database.upkeep.checkTotals()
      expect(oldest).toBe('2026-11-01T00:00:00.000Z')
    })
  })

  it('keeps to its rate limit', async () => {
    await using home = await homeWithData()
    await onHome(home.path, async (parts) => {
      const stopping = new AbortController()
      const slow = { ...fast, bytesPerSecond: 1, found: () => {}, signal: stopping.signal }
      const running = scrub(parts, slow)
      await wait(300)
      const { never } = await parts.database.upkeep.checkTotals()
      stopping.abort()
      await running

      expect(never).toBe(5)
    })
  })
})

describe('a service with a damaged file', () => {
  it('reports it in /health and /metrics', async () => {
    await using home = await homeWithData()
    home.edit(`UPDATE blobs SET damage = 'is missing' WHERE rowid = 1`)
    await using daemon = await testDaemon({ home: home.path })

    const health = await fetch(`${daemon.origin}/health`)
    const metrics = await (await fetch(`${daemon.origin}/metrics`)).text()

    expect(await health.json()).toMatchObject({ status: 'degraded', damaged: 1 })
    expect(metrics).toContain('\ndeposit_blobs_damaged 1\n')
    expect(metrics).toContain('\ndeposit_degraded 1\n')
  })
})

async function stillDue({ database }: Scrubbed): Promise<number> {
  return (await database.upkeep.dueBlobs(then, 10)).length
}

async function onHome(path: string, work: (parts: Scrubbed) => Promise<void>): Promise<void> {
  const home = homeAt(path)
  await using database = await openDatabase(home, () => {})
  await using blobs = await openBlobs(home, { database })
  await work({ database, blobs, clock: systemClock })
}

/** Scrubs until `isDone`; returns the messages about damage. */
async function scrubUntil(
  parts: Scrubbed,
  isDone: () => Promise<boolean>,
): Promise<readonly string[]> {
  const told: string[] = []
  const stopping = new AbortController()
  const found = (_blob: unknown, { message }: { readonly message: string }) => told.push(message)
  const running = scrub(parts, { ...fast, found, signal: stopping.signal })
  await expect.poll(isDone).toBe(true)
  stopping.abort()
  await running
  return told
}
