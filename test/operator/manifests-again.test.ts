import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, it, vi } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { problem } from '../../core/errors/errors.ts'
import type { ManifestStore } from '../../core/ports/manifest-store.ts'
import { startManifests } from '../../daemon/stores/upkeep.ts'
import { homeWithData } from './home-with-data.ts'

afterEach(() => vi.useRealTimers())

it('a manifest that the store did not take is written again, without a further change', async () => {
  await using home = await homeWithData()
  home.edit('UPDATE record_revisions SET manifested = 0')
  await using database = await openSqliteDatabase(join(home.path, 'deposit.db'), () => {})
  const told: unknown[] = []
  const report = (error: unknown): void => void told.push(error)
  let isAway = true
  let tries = 0
  const store: ManifestStore = {
    write: async () => {
      tries += 1
      if (isAway) throw problem('storage_unavailable', { store: 'files' })
    },
    read: async () => undefined,
    list: async function* () {},
    [Symbol.asyncDispose]: async () => {},
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const log = pino({ enabled: false })
  await using _ = startManifests({ database, report }, store, log, () => 1000)
  vi.advanceTimersByTime(1000)
  await vi.waitUntil(() => told.length === 1)

  isAway = false
  vi.advanceTimersByTime(60_000)

  await vi.waitUntil(async () => (await database.upkeep.unmanifested(1)).length === 0)
  expect([tries, told.length]).toEqual([2, 1])
})
