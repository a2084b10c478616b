import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import type { DraftDeposit } from '../../core/deposit/deposit.ts'
import { newBlobId, toFileKey } from '../../core/files/file.ts'
import type { Upload } from '../../core/files/upload.ts'
import type { Database, UnitOfWork } from '../../core/ports/database.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { ada, at, sampleConcept, sampleDraft, sampleFile, samplePid } from '../support/rows.ts'

const isLocal = { isLocal: true } as const

/** Bytes that the user of these tests may have: of files, and the few of rows and documents. */
const quota = 100_000

/** More than half of them. */
const most = 60_000

describe.skipIf(!hasPostgres())('units that lock what they decide upon, on PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server[Symbol.asyncDispose]())

  it('are not run again because of deposits that they do not touch', async () => {
    await using both = await openTwo()
    const drafts = Array.from({ length: 24 }, () => sampleDraft())
    let runs = 0
    await together(drafts, (draft, number) =>
      both.of(number).write(async (unit) => {
        runs += 1
        await unit.pids.insert(samplePid({ value: draft.id }), sampleConcept(draft))
        await unit.deposits.insert(draft)
      }, isLocal),
    )
    await together(drafts, (draft, number) =>
      both.of(number).write(async (unit) => {
        runs += 1
        await addWithin(unit, draft, `${number}.txt`, 1)
      }, isLocal),
    )

    expect(runs).toBe(2 * drafts.length)
    expect(await both.of(0).read.usage.of(ada)).toBe(drafts.length)
  })

  it('leave no user more than there is room for', async () => {
    await using both = await openTwo()
    const drafts = [sampleDraft(), sampleDraft(), sampleDraft()]
    await insert(both.of(0), drafts)
    const meeting = new Meeting(drafts.length)
    const answers = await settledTogether(drafts, (draft, number) =>
      both.of(number).write(async (unit) => {
        await addWithin(unit, draft, 'a.txt', most, () => meeting.join())
      }, isLocal),
    )

    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1)
    expect(answers).toContainEqual(new Error('no room'))
    expect(await both.of(0).read.usage.of(ada)).toBe(most)
  })

  it('leave no more than there is room for beside an upload that is announced meanwhile', async () => {
    await using both = await openTwo()
    const draft = sampleDraft()
    await insert(both.of(0), [draft])
    const [looked, added] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const announce = both.of(1).write(async (unit) => {
      await requireRoom(unit, most, async () => {
        looked.resolve()
        await added.promise
      })
      await unit.uploads.insert(sampleUpload(draft, most))
    })
    await looked.promise
    const add = both.of(0).write(async (unit) => addWithin(unit, draft, 'a.txt', most), isLocal)
    await add
    added.resolve()
    const settled = await Promise.allSettled([add, announce])

    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await both.of(0).read.usage.of(ada)).toBe(most)
  })

  it('are seen by a unit that began before them and changes their deposit', async () => {
    await using both = await openTwo()
    const draft = sampleDraft()
    await insert(both.of(0), [draft])
    const [begun, added] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const publish = both.of(1).write(async (unit) => {
      const found = await unit.deposits.find(draft.id)
      const files = await unit.files.list(draft.bucket, 'draft')
      begun.resolve()
      await added.promise
      if (found) await unit.deposits.save({ ...found, metadata: { count: files.length } }, at(1))
    })
    await begun.promise
    await both.of(0).write(async (unit) => addWithin(unit, draft, 'a.txt', 1), isLocal)
    added.resolve()
    await publish

    const { metadata, revision } = (await both.of(0).read.deposits.find(draft.id)) ?? {}
    expect({ metadata, revision }).toEqual({ metadata: { count: 1 }, revision: 2 })
  })

  it('see what a unit has changed for which they have waited', async () => {
    await using both = await openTwo()
    const draft = sampleDraft()
    await insert(both.of(0), [draft])
    const saved = Promise.withResolvers<void>()
    const publish = both.of(1).write(async (unit) => {
      const found = await unit.deposits.find(draft.id)
      if (found) await unit.deposits.save({ ...found, metadata: { title: 'Saved' } }, at(1))
      saved.resolve()
      // The other has asked for the deposit by then, or asks when this has ended.
      for (let turn = 0; turn < 20; turn += 1) await unit.files.list(draft.bucket, 'draft')
    })
    await saved.promise
    const seen = await both.of(0).write((unit) => unit.deposits.lock(draft.id), isLocal)
    await publish

    expect(seen).toMatchObject({ metadata: { title: 'Saved' }, revision: 1 })
  })

  it('give a key to one file, count each, and number them in their order', async () => {
    await using both = await openTwo()
    const draft = sampleDraft()
    await insert(both.of(0), [draft])
    const keys = ['a', 'b', 'same', 'c', 'same', 'd']
    const answers = await settledTogether(keys, (key, number) =>
      both.of(number).write(async (unit) => addWithin(unit, draft, key, 1), isLocal),
    )

    const { files, deposits } = both.of(0).read
    const stored = await files.list(draft.bucket, 'draft')
    expect(answers.filter((answer) => answer !== undefined)).toMatchObject([
      { code: 'file_already_exists' },
    ])
    expect(stored.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c', 'd', 'same'])
    expect(stored.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4])
    expect((await files.totals([draft.bucket])).get(draft.bucket)).toEqual({ count: 5, size: 5 })
    expect((await deposits.find(draft.id))?.revision).toBe(5)
  })

  it('are run again as whole ones if they have to decide upon more', async () => {
    await using both = await openTwo()
    const draft = sampleDraft()
    let runs = 0
    await both.of(0).write(async (unit) => {
      runs += 1
      await unit.deposits.insert(draft)
      unit.requireWhole()
    }, isLocal)

    expect(runs).toBe(2)
    expect(await both.of(0).read.deposits.find(draft.id)).toEqual(draft)
  })

  /** Two daemons on one database. */
  async function openTwo() {
    await using stack = new AsyncDisposableStack()
    const url = await server.database(randomUUID())
    const open = async (): Promise<Database> =>
      stack.use(
        await openPostgresDatabase(url, (error) => {
          throw error
        }),
      )
    const databases = [await open(), await open()] as const
    const owned = stack.move()
    return {
      of: (number: number) => databases[number % 2 === 0 ? 0 : 1],
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }
})

/** Waits for as many as are expected; those who come once more do not wait. */
class Meeting {
  readonly #all = Promise.withResolvers<void>()
  #missing: number

  constructor(expected: number) {
    this.#missing = expected
  }

  join(): Promise<void> {
    this.#missing -= 1
    if (this.#missing <= 0) this.#all.resolve()
    return this.#all.promise
  }
}

async function insert(database: Database, drafts: readonly DraftDeposit[]): Promise<void> {
  await database.write(async (unit) => {
    for (const draft of drafts) await unit.deposits.insert(draft)
  })
}

function sampleUpload({ id }: DraftDeposit, size: number): Upload {
  const key = toFileKey('b.txt')
  const fields = { id: newBlobId(), deposit: id, owner: ada, key, size }
  return { ...fields, replaces: false, metadata: {}, created: at(0) }
}

/** Adds a file as an upload does: with locks, and within the quota of the user. */
async function addWithin(
  unit: UnitOfWork,
  { id, bucket }: DraftDeposit,
  key: string,
  size: number,
  meet?: () => Promise<void>,
): Promise<void> {
  const deposit = await unit.deposits.lock(id)
  await requireRoom(unit, size, meet)
  await unit.files.add(sampleFile(bucket, key, size))
  if (deposit) await unit.deposits.touch(deposit, at(1))
}

async function requireRoom(
  unit: UnitOfWork,
  size: number,
  meet = async (): Promise<void> => {},
): Promise<void> {
  const [used, metadata] = [await unit.usage.of(ada), await unit.usage.metadata(ada)]
  await meet()
  if (used + metadata + size > quota) throw new Error('no room')
  await unit.usage.hold(ada, quota)
}

function together<Item>(
  items: readonly Item[],
  work: (item: Item, number: number) => Promise<unknown>,
): Promise<readonly unknown[]> {
  return Promise.all(items.map(work))
}

/** Failures in the order of items; undefined for those that were done. */
async function settledTogether<Item>(
  items: readonly Item[],
  work: (item: Item, number: number) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(items.map(work))
  return settled.map((each): unknown => (each.status === 'rejected' ? each.reason : undefined))
}
