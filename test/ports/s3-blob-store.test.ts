import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBucket } from '../../core/adapters/blobs/s3/open-bucket.ts'
import { openS3 } from '../../core/adapters/blobs/s3/open-s3.ts'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { FilesUnfit, type BlobStore } from '../../core/ports/blob-store.ts'
import { newBlobId, type Blob, type BlobId } from '../../core/files/file.ts'
import { systemClock } from '../../core/ports/clock.ts'
import type { Database } from '../../core/ports/database.ts'
import { lockLost } from '../../core/ports/shared-locks.ts'
import { connectionCutter } from '../support/connection-cutter.ts'
import { hasS3, s3Credentials, startS3, storeAt, type S3Server } from '../support/s3.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { digestOf, everything, streamOf } from './blob-samples.ts'
import { blobStoreContract } from './blob-store.contract.ts'

const MiB = 1024 * 1024
const roomy = { limit: 64 * MiB }

describe.skipIf(!hasS3())('a store in S3', () => {
  let server: S3Server
  let home: TemporaryFolder
  let database: Database
  const notices: string[] = []

  beforeAll(async () => {
    Object.assign(process.env, s3Credentials)
    server = await startS3()
    home = await temporaryFolder()
    database = await openSqliteDatabase(join(home.path, 'deposit.db'), () => {})
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const notice = (text: string): void => void notices.push(text)
  const open = (url = server.store(randomUUID())): Promise<BlobStore> =>
    openS3(url, { home: home.path, database, clock: systemClock, notice })

  blobStoreContract('S3 blob store', () => open())

  async function written(store: BlobStore, bytes: Buffer): Promise<Blob> {
    return store.write(newBlobId(), streamOf(bytes), roomy)
  }

  describe('its start', () => {
    it('names the headers the server does not honour, and leaves no test object', async () => {
      notices.length = 0
      const url = server.store(randomUUID())
      await using store = await open(url)

      expect(store.health).toBe('sound')
      expect(notices.join('\n')).toMatch(/If-None-Match/)
      using bucket = await openBucket(url, () => {})
      const left = []
      for await (const { key } of bucket.list('')) left.push(key)
      expect(left).toEqual([])
    })

    it('makes the bucket together with other daemons that start at the same time', async () => {
      const url = server.store(randomUUID()).replace('deposit-tests', `made-${randomUUID()}`)
      const opened = Array.from({ length: 8 }, () => openBucket(url, () => {}))
      for (const bucket of await Promise.all(opened)) bucket[Symbol.dispose]()
      using bucket = await openBucket(url, () => {}, false)
      await bucket.put('key', 'bytes')
    })

    const unfit: readonly (readonly [string, () => string, RegExp])[] = [
      ['a bucket that is not there', () => `s3://missing?endpoint=${server.endpoint}`, /no bucket/],
      ['an address without a bucket', () => 's3://', /s3:\/\/BUCKET/],
      ['an option that it does not know', () => 's3://b?acl=public', /"acl" is no parameter/],
      ['keys in the address', () => 's3://key:secret@b', /has keys in it/],
    ]
    it.for(unfit)('fails with a message for %s', async ([, url, message]) => {
      const opened = open(url())
      await expect(opened).rejects.toThrow(FilesUnfit)
      await expect(opened).rejects.toThrow(message)
    })

    it('fails when the store does not answer', async () => {
      await expect(open('s3://bucket?endpoint=http://127.0.0.1:1')).rejects.toThrow(
        expect.objectContaining({ code: 'storage_unavailable' }),
      )
    })
  })

  describe('bytes that others have changed', () => {
    it.for([100, 3 * MiB])('are not returned in full (%i)', async (size) => {
      const url = server.store(randomUUID())
      await using store = await open(url)
      const blob = await written(store, randomBytes(size))
      using bucket = await openBucket(url, () => {})
      await bucket.put(`blobs/${blob.id}`, randomBytes(size))

      const whole = async (): Promise<Buffer> => buffer(await store.readWhole(blob))
      await expect(whole()).rejects.toMatchObject({ code: 'damaged_file' })
    })

    it('are kept when they are set aside', async () => {
      const url = server.store(randomUUID())
      await using store = await open(url)
      const { id } = await written(store, Buffer.from('abc'))
      await store.quarantine(id)

      using bucket = await openBucket(url, () => {})
      const kept = []
      for await (const { key } of bucket.list('quarantine/')) kept.push(key)
      expect(kept).toEqual([expect.stringMatching(new RegExp(`^quarantine/${id}\\.\\d+$`))])
      expect(String(await bucket.get(kept[0] ?? ''))).toBe('abc')
    })
  })

  it('copies a blob into a file', async () => {
    await using store = await open()
    const bytes = randomBytes(MiB)
    const { id } = await written(store, bytes)
    const path = join(home.path, id)
    await store.copyOut(id, path, true)
    expect((await readFile(path)).equals(bytes)).toBe(true)
  })

  it('lists objects as strange that are not its own', async () => {
    const url = server.store(randomUUID())
    await using store = await open(url)
    using bucket = await openBucket(url, () => {})
    await bucket.put('blobs/stranger', 'x')
    expect(await everything(store)).toEqual([{ strange: 'blobs/stranger' }])
  })

  it('gives an address at which anybody can download a blob under its file name', async () => {
    await using store = await open()
    const blob = await written(store, Buffer.from('abc'))
    const as = {
      mediaType: 'text/csv',
      disposition: 'attachment; filename="a"',
      cacheControl: 'no-store',
    }
    const reply = await fetch((await store.addressOf?.(blob, as)) ?? '')

    expect(await reply.text()).toBe('abc')
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="a"')
  })

  it('delays removals while they are held', async () => {
    await using store = await open()
    const { id } = await written(store, Buffer.from('abc'))
    {
      await using _ = store.holdRemovals()
      await store.remove(id)
      expect(await store.size(id)).toBe(3)
    }
    expect(await store.size(id)).toBeUndefined()
  })

  it('has an intent for each blob before it writes, and none for blobs it did not keep', async () => {
    await using store = await open()
    const { id } = await written(store, Buffer.from('abc'))
    expect(await database.read.intents.find(id)).toBeDefined()

    const failed = newBlobId()
    await expect(store.write(failed, streamOf(Buffer.from('abc')), { limit: 2 })).rejects.toThrow()
    expect(await database.read.intents.find(failed)).toBeUndefined()
  })

  it('resumes a download whose connection broke', async () => {
    const name = randomUUID()
    await using store = await open(server.store(name))
    const bytes = randomBytes(6 * MiB)
    const { id } = await written(store, bytes)
    await using cutter = await connectionCutter(server.endpoint)
    await using through = await open(storeAt(cutter.url, name))

    cutter.cutAfter(2 * MiB)
    const read = await buffer(await through.read(id, { start: 1000, end: 6 * MiB - 1 }))

    expect(read.equals(bytes.subarray(1000))).toBe(true)
    expect(cutter.cuts()).toBe(1)
  })

  it('sends a part again after its connection broke', async () => {
    const name = randomUUID()
    await using cutter = await connectionCutter(server.endpoint)
    await using store = await open(storeAt(cutter.url, name))
    const bytes = randomBytes(20 * MiB)
    cutter.cutAfter(11 * MiB)
    const { id, sha256 } = await written(store, bytes)
    expect(cutter.cuts()).toBe(1)
    expect(sha256).toBe(digestOf('sha256', bytes))
    expect((await buffer(await store.read(id))).equals(bytes)).toBe(true)
  })

  it('does not count as unavailable when a reader leaves in the middle of a piece', async () => {
    await using store = await open()
    const blob = await written(store, randomBytes(8 * MiB))
    notices.length = 0
    for (let reader = 0; reader < 20; reader += 1) {
      const bytes = await store.read(blob.id)
      await once(bytes, 'readable')
      while (bytes.read() !== null);
      bytes.destroy()
      await once(bytes, 'close')
    }
    // The request fails a moment after its reader has gone.
    expect((await buffer(await store.read(blob.id))).length).toBe(blob.size)

    expect(notices).toEqual([])
    expect(store.health).toBe('sound')
  })

  describe('while the server is away', () => {
    it('refuses at once, reports it, and recovers by itself', async () => {
      await using store = await open()
      const blob = await written(store, Buffer.from('abc'))
      notices.length = 0
      await server.kill()
      try {
        await expect(store.read(blob.id)).rejects.toMatchObject({ code: 'storage_unavailable' })
        expect(store.health).toBe('away')
        const source = streamOf(Buffer.from('x'))
        await expect(store.write(newBlobId(), source, roomy)).rejects.toMatchObject({
          code: 'storage_unavailable',
        })
        expect(source.readableDidRead).toBe(false)
        await expect(store.size(blob.id)).rejects.toMatchObject({ code: 'storage_unavailable' })
      } finally {
        await server.start()
      }

      await expect.poll(() => store.health).toBe('sound')
      expect(String(await buffer(await store.read(blob.id)))).toBe('abc')
      await written(store, Buffer.from('again'))
      expect(notices[0]).toMatch(/is away/)
      expect(notices.at(-1)).toMatch(/is back/)
    })
  })

  describe('an upload in pieces', () => {
    const whole = randomBytes(21 * MiB)
    const sha256 = digestOf('sha256', whole)

    /** Appends the bytes from `start` to `end`. */
    function append(store: BlobStore, id: BlobId, start: number, end: number): Promise<number> {
      const options = { offset: start, limit: whole.length - start }
      return store.uploads.append(id, streamOf(whole.subarray(start, end)), options)
    }

    it('resumes at any daemon, wherever it was cut', async () => {
      const url = server.store(randomUUID())
      await using first = await open(url)
      await using second = await open(url)
      const id = newBlobId()
      const ends = [1, 5 * MiB, 8 * MiB, 8 * MiB + 1, 19 * MiB, 21 * MiB]
      let start = 0
      for (const [index, end] of ends.entries()) {
        const store = index % 2 === 0 ? first : second
        expect((await store.uploads.find(id))?.size ?? 0).toBe(start)
        expect(await append(store, id, start, end)).toBe(end)
        start = end
      }
      expect(await second.uploads.list()).toEqual([id])
      const finished = { id, size: whole.length, sha256, digests: {} }

      expect(await second.uploads.finish(id, [])).toEqual(finished)
      expect(await first.uploads.finish(id, [])).toEqual(finished)
      expect(await second.uploads.list()).toEqual([])
      expect((await second.uploads.find(id))?.size).toBe(whole.length)
      expect(digestOf('sha256', await buffer(await first.read(id)))).toBe(sha256)
    })

    it('that arrives in one request is measured while it arrives', async () => {
      await using store = await open()
      const id = newBlobId()
      await append(store, id, 0, whole.length)
      const md5 = digestOf('md5', whole)
      expect(await store.uploads.finish(id, ['md5'])).toMatchObject({ sha256, digests: { md5 } })
    })

    it.for([0, 3])('of %i bytes becomes a blob', async (size) => {
      await using store = await open()
      const id = newBlobId()
      const bytes = randomBytes(size)
      await store.uploads.append(id, streamOf(bytes), { offset: 0, limit: size })
      const blob = await store.uploads.finish(id, [])
      expect(blob).toMatchObject({ size, sha256: digestOf('sha256', bytes) })
      expect((await buffer(await store.read(id))).equals(bytes)).toBe(true)
    })

    it('keeps the bytes that arrived before its connection broke', async () => {
      await using store = await open()
      const id = newBlobId()
      const broken = Readable.from(breakingAfter(whole.subarray(0, 11 * MiB)))
      const appended = store.uploads.append(id, broken, { offset: 0, limit: whole.length })

      await expect(appended).rejects.toMatchObject({ code: 'broken_upload' })
      const size = (await store.uploads.find(id))?.size ?? 0
      expect(size).toBeGreaterThan(10 * MiB)
      expect(await append(store, id, size, whole.length)).toBe(whole.length)
      expect(await store.uploads.finish(id, [])).toMatchObject({ sha256 })
    })

    it('is refused at another offset', async () => {
      await using store = await open()
      const id = newBlobId()
      await append(store, id, 0, 10)
      await expect(append(store, id, 5, 10)).rejects.toMatchObject({ code: 'upload_conflict' })
      expect((await store.uploads.find(id))?.size).toBe(10)
    })

    it('is not written once another may write it', async () => {
      await using store = await open()
      const id = newBlobId()
      const appended = store.uploads.append(id, streamOf(Buffer.from('abc')), {
        offset: 0,
        limit: 9,
        requireTurn: () => {
          throw lockLost()
        },
      })

      await expect(appended).rejects.toMatchObject({ code: 'storage_unavailable' })
      expect(await store.uploads.find(id)).toBeUndefined()
    })

    it('leaves nothing when it is removed', async () => {
      const url = server.store(randomUUID())
      await using store = await open(url)
      const id = newBlobId()
      await append(store, id, 0, 9 * MiB)
      await store.uploads.remove(id)
      await store.uploads.remove(id)

      expect(await store.uploads.find(id)).toBeUndefined()
      using bucket = await openBucket(url, () => {})
      const left = []
      for await (const { key } of bucket.list('')) left.push(key)
      expect(left).toEqual([])
    })
  })
})

async function* breakingAfter(bytes: Buffer): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> = streamOf(bytes)
  yield* chunks
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
}
