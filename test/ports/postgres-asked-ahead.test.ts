import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import { toFileKey } from '../../core/files/file.ts'
import type { Database } from '../../core/ports/database.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { ada, at, sampleDraft, sampleFile } from '../support/rows.ts'

const isLocal = { isLocal: true } as const

describe.skipIf(!hasPostgres())('a local unit, on PostgreSQL', () => {
  const stack = new AsyncDisposableStack()
  let database: Database
  beforeAll(async () => {
    const server = stack.use(await startPostgres())
    const fail = (error: unknown) => expect.fail(String(error))
    database = stack.use(await openPostgresDatabase(await server.database(randomUUID()), fail))
  })
  afterAll(() => stack.disposeAsync())

  async function insertDraft() {
    const draft = sampleDraft()
    await database.write((unit) => unit.deposits.insert(draft))
    return draft
  }

  it('is told, of what it asks before its lock is granted, how another unit has left it', async () => {
    const draft = await insertDraft()
    const [locked, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = database.write(async (unit) => {
      const found = await unit.deposits.lock(draft.id)
      locked.resolve()
      await asked.promise
      await unit.files.add(sampleFile(draft.bucket, 'a', 7), { position: 0, owner: ada })
      return found && unit.deposits.touch(found, at(1))
    }, isLocal)
    await locked.promise
    const second = database.write(async (unit) => {
      const locking = unit.deposits.lock(draft.id)
      const placing = unit.files.findPlace(draft.bucket, toFileKey('a'))
      // Both have arrived, most likely, before the other unit goes on.
      await setTimeout(200)
      asked.resolve()
      return { deposit: await locking, place: await placing }
    }, isLocal)
    const { deposit, place } = await second

    expect(deposit).toEqual(await first)
    expect(place).toMatchObject({ totals: { count: 1, size: 7 }, next: 1, file: { key: 'a' } })
  })

  it('changes nothing where the deposit has another revision than it was told', async () => {
    const draft = await insertDraft()
    await database.write((unit) => unit.deposits.touch(draft, at(1)))
    const late = database.write(async (unit) => {
      await unit.files.add(sampleFile(draft.bucket, 'b'), { position: 0, owner: ada })
      await unit.deposits.touch(draft, at(2))
    }, isLocal)

    await expect(late).rejects.toMatchObject({ code: 'stale_revision' })
    expect(await database.read.deposits.find(draft.id)).toMatchObject({
      revision: 1,
      updated: at(1),
    })
    expect(await database.read.files.list(draft.bucket, 'draft')).toEqual([])
    expect(await database.read.usage.of(ada)).toBe(7)
  })

  it('reads its own changes, and what it has added to the bytes of a user', async () => {
    const draft = await insertDraft()
    const before = await database.read.usage.holding(ada)
    const seen = await database.write(async (unit) => {
      await unit.deposits.lock(draft.id)
      const first = await unit.usage.holding(ada)
      await unit.files.add(sampleFile(draft.bucket, 'c', 9), { position: 0, owner: ada })
      await unit.deposits.touch(draft, at(1))
      const after = await unit.usage.holding(ada)
      return { first, after, deposit: await unit.deposits.find(draft.id) }
    }, isLocal)

    expect(seen.first).toEqual(before)
    expect(seen.after.stored).toBe(before.stored + 9)
    expect(seen.deposit).toMatchObject({ revision: 1, updated: at(1) })
  })
})
