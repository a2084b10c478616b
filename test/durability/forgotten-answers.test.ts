import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const hourMs = 3_600_000

async function create(daemon: TestDaemon): Promise<string> {
  const sent = { json: { title: 'Tides' }, headers: { 'idempotency-key': 'key' } }
  return bodyOf<DepositBody>(await daemon.as('owner').post('/deposits/', sent), 201).id
}

function rows<Result>(home: string, work: (sqlite: Sqlite.Database) => Result): Result {
  const sqlite = new Sqlite(join(home, 'deposit.db'))
  try {
    return work(sqlite)
  } finally {
    sqlite.close()
  }
}

/** Lets every answer have been given so many hours ago. */
function makeOld(home: string, hours: number): void {
  const created = new Date(Date.now() - hours * hourMs).toISOString()
  rows(home, (sqlite) => sqlite.prepare('UPDATE answers SET created = ?').run(created))
}

const countAnswers = (home: string): unknown =>
  rows(home, (sqlite) => sqlite.prepare('SELECT count(*) FROM answers').pluck().get())

it('an Idempotency-Key is good for 24 hours, and for another request after them', async () => {
  await using daemon = await testDaemon()
  const first = await create(daemon)

  makeOld(daemon.home, 23)
  expect(await create(daemon)).toBe(first)

  makeOld(daemon.home, 25)
  const second = await create(daemon)
  expect(second).not.toBe(first)
  expect(await create(daemon)).toBe(second)
})

it('answers that are given no more are removed', async () => {
  await using home = await temporaryFolder()
  {
    await using daemon = await testDaemon({ home: home.path })
    await create(daemon)
  }
  makeOld(home.path, 25)

  await using _ = await testDaemon({ home: home.path })

  await expect.poll(() => countAnswers(home.path)).toBe(0)
})
