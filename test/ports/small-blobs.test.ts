import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { newBlobId, type BlobId } from '../../core/files/file.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { DatabaseTooNew } from '../../core/ports/upkeep.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { everything, streamOf } from './blob-samples.ts'

const KiB = 1024
const roomy = { limit: 1024 * KiB }

/** Path of the file that a blob would be. */
function pathOf(root: string, id: BlobId): string {
  return join(root, 'blobs', id.slice(0, 2), id.slice(2, 4), id)
}

async function putFile(root: string, id: BlobId, bytes: Buffer): Promise<void> {
  const path = pathOf(root, id)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes, { mode: 0o400 })
}

function edit(root: string, sql: string): void {
  const sqlite = new Sqlite(join(root, 'small-blobs.db'))
  sqlite.unsafeMode().exec(sql)
  sqlite.close()
}

/** Writes blobs of these sizes into a store in `root`, and closes it. */
async function fill(root: string, sizes: readonly number[]): Promise<readonly BlobId[]> {
  await using store = await openFolderBlobStore(root)
  const ids: BlobId[] = []
  for (const size of sizes) {
    ids.push((await store.write(newBlobId(), streamOf(randomBytes(size)), roomy)).id)
  }
  return ids
}

const filesIn = async (root: string): Promise<number> => {
  const entries = await readdir(join(root, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

describe('small blobs', () => {
  it('are rows up to 64 KiB, and files above it, with or without an announced size', async () => {
    await using folder = await temporaryFolder()
    await using store = await openFolderBlobStore(folder.path)
    const write = (size: number, announced: boolean) =>
      store.write(newBlobId(), streamOf(randomBytes(size), 1000), {
        ...roomy,
        ...(announced && { expectedSize: size }),
      })
    for (const announced of [true, false]) await write(64 * KiB, announced)
    expect(await filesIn(folder.path)).toBe(0)
    for (const announced of [true, false]) await write(64 * KiB + 1, announced)
    expect(await filesIn(folder.path)).toBe(2)
  })

  it('are also found as files that an older program has made', async () => {
    await using folder = await temporaryFolder()
    const id = newBlobId()
    await putFile(folder.path, id, Buffer.from('old'))
    await using store = await openFolderBlobStore(folder.path)

    expect(String(await buffer(await store.read(id)))).toBe('old')
    expect(await everything(store)).toMatchObject([{ id, size: 3 }])
    await store.remove(id)
    expect(await everything(store)).toEqual([])
  })

  it('give their space back to the file system when they are removed', async () => {
    await using folder = await temporaryFolder()
    await using store = await openFolderBlobStore(folder.path)
    const ids = Array.from({ length: 100 }, newBlobId)
    const path = join(folder.path, 'small-blobs.db')
    await Promise.all(ids.map((id) => store.write(id, streamOf(randomBytes(60 * KiB)), roomy)))
    const [first, ...others] = ids
    await Promise.all(others.map((id) => store.remove(id)))

    await expect.poll(async () => (await stat(path)).size).toBeLessThan(500 * KiB)
    expect(await store.size(first ?? newBlobId())).toBe(60 * KiB)
  })

  it('of a newer program are left unchanged', async () => {
    await using folder = await temporaryFolder()
    await fill(folder.path, [10])
    edit(folder.path, 'PRAGMA user_version = 2')
    await expect(openFolderBlobStore(folder.path)).rejects.toThrow(DatabaseTooNew)
  })
})

describe('small blobs that are damaged', () => {
  it('are read from a file that an operator puts in their place', async () => {
    await using folder = await temporaryFolder()
    const [id = newBlobId()] = await fill(folder.path, [30 * KiB])
    await truncate(join(folder.path, 'small-blobs.db'), 20 * KiB)
    await putFile(folder.path, id, Buffer.from('right'))
    await using store = await openFolderBlobStore(folder.path)

    expect(String(await buffer(await store.read(id)))).toBe('right')
    expect(await store.size(id)).toBe(5)
  })

  it.each([
    ['cut short', (path: string) => truncate(path, 20 * KiB)],
    ['overwritten', (path: string) => writeFile(path, randomBytes(30 * KiB))],
  ])('stop all writes when their file was %s, while large blobs can be read', async (_, damage) => {
    await using folder = await temporaryFolder()
    const [small = newBlobId(), large = newBlobId()] = await fill(folder.path, [30 * KiB, 90 * KiB])
    await damage(join(folder.path, 'small-blobs.db'))
    const told: unknown[] = []
    await using store = await openFolderBlobStore(folder.path, (error) => told.push(error))

    expect(await buffer(await store.read(large))).toHaveLength(90 * KiB)
    await expect(store.read(small)).rejects.toMatchObject({ code: 'damaged_file' })
    expect(await store.size(small)).toBeUndefined()
    expect(await everything(store)).toMatchObject([{ id: large }])
    await expect(writeOne(store)).rejects.toMatchObject({ code: 'storage_degraded' })
    expect((await store.inspect()).map(({ name }) => name)).toEqual([
      join(folder.path, 'small-blobs.db'),
    ])
    expect(told).toHaveLength(1)
  })

  it('in an index are reported, even when every byte of the blobs is good', async () => {
    await using folder = await temporaryFolder()
    await fill(folder.path, [10, 20, 30])
    edit(folder.path, `PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE type = 'index'`)
    await using store = await openFolderBlobStore(folder.path)
    expect(await store.inspect()).not.toEqual([])
  })

  it('are missing if their file is missing, and the store keeps working', async () => {
    await using folder = await temporaryFolder()
    await using other = await temporaryFolder()
    const [id = newBlobId()] = await fill(folder.path, [10])
    await fill(other.path, [])
    await copyFile(join(other.path, 'small-blobs.db'), join(folder.path, 'small-blobs.db'))
    await using store = await openFolderBlobStore(folder.path)

    await expect(store.read(id)).rejects.toMatchObject({ code: 'damaged_file' })
    await writeOne(store)
    expect(store.health).toBe('sound')
  })
})

async function writeOne(store: BlobStore): Promise<void> {
  await store.write(newBlobId(), streamOf(Buffer.from('abc')), roomy)
}
