import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import type { Database } from '../../core/ports/database.ts'
import { unless } from '../faults/obstacle.ts'
import { fillUp, smallDisk, smallDiskObstacle } from '../faults/room/small-disk.ts'
import { sampleDraft } from '../support/rows.ts'

const draft = sampleDraft({ metadata: { title: 'Before' } })

/** Enough that their pages in the log exceed those that one of them needs. */
const changes = 40

/** The block size of the file system in bytes. */
const block = 4096

async function rename(database: Database, title: string): Promise<void> {
  await database.write(async (unit) => {
    const stored = await unit.deposits.find(draft.id)
    if (stored) await unit.deposits.save({ ...stored, metadata: { title } }, stored.updated)
  })
}

describe.skipIf(unless('a full disk under SQLite', smallDiskObstacle()))('On a full disk', () => {
  it('the log restarts and accepts changes of existing rows', async () => {
    await using disk = await smallDisk('size=8m')
    const path = join(disk.path, 'deposit.db')
    {
      await using database = await openSqliteDatabase(path, () => {})
      await database.write((unit) => unit.deposits.insert(draft))
    }
    const reported: unknown[] = []
    await using database = await openSqliteDatabase(path, (error) => reported.push(error))
    for (let at = 1; at <= changes; at += 1) await rename(database, `Change ${at}`)
    await fillUp(join(disk.path, 'ballast'))
    const { size } = await stat(`${path}-wal`)
    const together = ['one', 'another', 'the last'].map((title) => rename(database, title))
    await Promise.all(together)

    // The last block of the file has space left, so these need no new block.
    expect((await stat(`${path}-wal`)).size).toBeLessThan(size + block)
    expect((await database.read.deposits.find(draft.id))?.metadata).toEqual({ title: 'the last' })
    for (let at = 1; at <= changes * 3; at += 1) await rename(database, `After ${at}`)
    expect(reported).toEqual([])
  })

  it('refuses a write that still does not fit, and keeps the rest', async () => {
    await using disk = await smallDisk('size=8m')
    await using database = await openSqliteDatabase(join(disk.path, 'deposit.db'), () => {})
    await database.write((unit) => unit.deposits.insert(draft))
    await fillUp(join(disk.path, 'ballast'))
    const notes = 'x'.repeat(9_000_000)
    const tooLarge = sampleDraft({ metadata: { notes } })
    const inserted = database.write((unit) => unit.deposits.insert(tooLarge))

    await expect(inserted).rejects.toMatchObject({ code: 'storage_full' })
    expect(database.isWritable()).toBe(true)
    expect((await database.read.deposits.find(draft.id))?.metadata).toEqual(draft.metadata)
  })
})
