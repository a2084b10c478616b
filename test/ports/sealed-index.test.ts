import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqliteDatabase, openWriter } from '../../core/adapters/database/sqlite-database.ts'
import { FtsIndex } from '../../core/adapters/search/fts/fts-index.ts'
import { FileSeal } from '../../core/adapters/sqlite/file-seal.ts'
import type { Database } from '../../core/ports/database.ts'
import { parseSearchRequest } from '../../core/search/request.ts'
import { sampleDocument } from '../support/indexed-documents.ts'
import { sampleDraft } from '../support/rows.ts'
import { Rows } from '../support/rows-to-index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Rows and an index beside them in `folder`, which the closing of both leaves level. */
async function open(folder: string, rows: Rows) {
  const database = await openSqliteDatabase(join(folder, 'deposit.db'), () => {})
  const reported: unknown[] = []
  const index = new FtsIndex({
    path: join(folder, 'deposits.db'),
    load: () => rows.load({ of: 'deposits' }),
    maxDocument: 2 ** 20,
    seal: database.seal,
    report: (error) => reported.push(error),
  })
  index.resume()
  await index.resumed()
  return {
    database,
    index,
    reported,
    isResumed: index.isLevel,
    begun: async () => {
      index.begin()
      await index.settled()
    },
    [Symbol.asyncDispose]: async () => {
      await index[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function found({ index }: { readonly index: FtsIndex }): Promise<readonly string[]> {
  const request = parseSearchRequest({ q: 'needle', size: '50' })
  const result = await index.search(request, { of: 'deposits' }, 60_000)
  return result?.ids.toSorted() ?? []
}

const needle = (id: string, revision = 0) =>
  sampleDocument({ id, revision, metadata: { title: 'needle' } })

const change = (database: Database): Promise<unknown> =>
  database.write((unit) => unit.deposits.insert(sampleDraft()))

describe('the large index after an end in order', () => {
  it('has every change, without reading the rows', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    rows.add(needle('d1'))
    {
      await using before = await open(folder.path, rows)
      expect(before.isResumed).toBe(false)
      await before.begun()
      await change(before.database)
      await before.index.put(needle('d2'))
    }
    const { read } = rows
    for (const id of ['d3', 'd4']) {
      await using after = await open(folder.path, rows)
      expect(after.isResumed).toBe(true)
      await change(after.database)
      await after.index.put(needle(id))
      expect(await found(after)).toContain(id)
    }
    await using last = await open(folder.path, rows)
    expect(await found(last)).toEqual(['d1', 'd2', 'd3', 'd4'])
    expect(rows.read).toBe(read)
  })

  it('reads the rows where they changed without it, also where both had a mark before', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    rows.add(needle('d1'))
    {
      await using before = await open(folder.path, rows)
      await before.begun()
    }
    for (const id of ['d2', 'd3']) {
      const database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
      database.seal?.next()
      await change(database)
      await database[Symbol.asyncDispose]()
      rows.add(needle(id))
      await using after = await open(folder.path, rows)
      expect(after.isResumed).toBe(false)
      await after.begun()
      expect(await found(after)).toContain(id)
    }
  })

  it('reads the rows after a crash, unless they are as they were', async () => {
    await using folder = await temporaryFolder()
    await using crashed = await temporaryFolder()
    const rows = new Rows()
    rows.add(needle('d1'))
    {
      await using before = await open(folder.path, rows)
      await before.begun()
    }
    await using running = await open(folder.path, rows)
    const isResumedAfterCrash = async (): Promise<boolean> => {
      await cp(folder.path, crashed.path, { recursive: true, force: true })
      await using after = await open(crashed.path, rows)
      return after.isResumed
    }
    expect(await isResumedAfterCrash()).toBe(true)
    await change(running.database)
    expect(await isResumedAfterCrash()).toBe(false)
  })

  it('reads the rows after a change that it could not store', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    rows.add(needle('d1'))
    {
      await using before = await open(folder.path, rows)
      await before.begun()
      // Closed before the failure is known.
      void before.index.put(needle('d2', 0.5))
    }
    rows.add(needle('d2'))
    await using after = await open(folder.path, rows)
    expect(after.isResumed).toBe(false)
    await after.begun()
    expect(await found(after)).toEqual(['d1', 'd2'])
  })

  it('reads the rows after a change that came once it was closed', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    rows.add(needle('d1'))
    const before = await open(folder.path, rows)
    await before.begun()
    await before.index[Symbol.asyncDispose]()
    await change(before.database)
    await before.index.put(needle('d2'))
    await before.database[Symbol.asyncDispose]()
    await using after = await open(folder.path, rows)
    expect(after.isResumed).toBe(false)
  })

  it('reads the rows where it was closed before it was level', async () => {
    await using folder = await temporaryFolder()
    const rows = new Rows()
    for (let count = 0; count < 300; count += 1) rows.add(needle(`d${count}`))
    {
      await using before = await open(folder.path, rows)
      before.index.begin()
    }
    await using after = await open(folder.path, rows)
    expect(after.isResumed).toBe(false)
  })
})

it('A mark that a rollback kept is lost with the next transaction', async () => {
  await using folder = await temporaryFolder()
  using writer = openWriter(join(folder.path, 'deposit.db'))
  new FileSeal(writer.sqlite).set(7)
  const seal = new FileSeal(writer.sqlite)
  const left = (end: 'COMMIT' | 'ROLLBACK'): number => {
    writer.sqlite.exec('BEGIN IMMEDIATE')
    seal.break()
    writer.sqlite.exec(end)
    return new FileSeal(writer.sqlite).found
  }
  expect([left('ROLLBACK'), left('COMMIT')]).toEqual([7, 0])
})
