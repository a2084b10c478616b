import { open, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { newBlobId } from '../../core/files/file.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { lockLost } from '../../core/ports/shared-locks.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { streamOf } from './blob-samples.ts'

/** Sizes that files had when they were synced. */
let synced: number[]

beforeEach(async () => {
  synced = []
  await using handle = await open('/dev/null')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  const sync: (this: FileHandle) => Promise<void> = Reflect.get(prototype, 'sync')
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    const stats = await this.stat()
    await sync.call(this)
    if (stats.isFile()) synced.push(stats.size)
  })
})

afterEach(() => void vi.restoreAllMocks())

describe('an upload in pieces', () => {
  it('reports only bytes that are durable', async () => {
    await using folder = await temporaryFolder()
    await using store = await openStore(folder.path)
    const id = newBlobId()

    const first = await store.uploads.append(id, streamOf(Buffer.from('abc')), {
      offset: 0,
      limit: 9,
    })
    expect([first, synced]).toEqual([3, [3]])
    const second = await store.uploads.append(id, streamOf(Buffer.from('de')), {
      offset: 3,
      limit: 6,
    })
    expect([second, synced]).toEqual([5, [3, 5]])
  })

  it('refuses a piece that does not begin where the last ended', async () => {
    await using folder = await temporaryFolder()
    await using store = await openStore(folder.path)
    const id = newBlobId()
    await store.uploads.append(id, streamOf(Buffer.from('abc')), { offset: 0, limit: 9 })

    for (const offset of [0, 2, 4]) {
      const appended = store.uploads.append(id, streamOf(Buffer.from('x')), { offset, limit: 9 })
      await expect(appended).rejects.toMatchObject({ code: 'upload_conflict' })
    }
    expect((await store.uploads.find(id))?.size).toBe(3)
  })

  it('writes nothing once another may write', async () => {
    await using folder = await temporaryFolder()
    await using store = await openStore(folder.path)
    const id = newBlobId()
    const appended = store.uploads.append(id, streamOf(Buffer.from('abc')), {
      offset: 0,
      limit: 9,
      requireTurn: () => {
        throw lockLost()
      },
    })

    await expect(appended).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect((await store.uploads.find(id))?.size).toBe(0)
  })

  it('makes the bytes durable that arrived before the connection broke', async () => {
    await using folder = await temporaryFolder()
    await using store = await openStore(folder.path)
    const id = newBlobId()
    const broken = Readable.from(breaking())

    const appended = store.uploads.append(id, broken, { offset: 0, limit: 9 })

    await expect(appended).rejects.toMatchObject({ code: 'broken_upload' })
    expect((await store.uploads.find(id))?.size).toBe(3)
    expect(synced).toEqual([3])
  })

  it('of an earlier process is made durable before it is reported', async () => {
    await using folder = await temporaryFolder()
    const id = newBlobId()
    {
      await using store = await openStore(folder.path)
      await store.uploads.append(id, streamOf(Buffer.from('abc')), { offset: 0, limit: 9 })
    }
    await using store = await openStore(folder.path)

    expect((await store.uploads.find(id))?.size).toBe(3)
    expect(synced).toEqual([3])
  })
})

/** Syncs at the opening of the store do not count. */
async function openStore(path: string): Promise<BlobStore> {
  const store = await openFolderBlobStore(path)
  synced = []
  return store
}

async function* breaking(): AsyncGenerator<Buffer> {
  yield Buffer.from('abc')
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
}
