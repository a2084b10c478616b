import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BrokenUpload, DamagedFile, FileTooLarge } from '../../core/errors.ts'
import { newBlobId } from '../../core/files/file.ts'
import type { BlobStore, StoredBlob, StrangeFile } from '../../core/ports/blob-store.ts'

const KiB = 1024
const MiB = 1024 * KiB
export const anyDate: unknown = expect.any(Date)
const roomy = { limit: 64 * MiB }

/** A size around each border that a page, a chunk, a batch or a megabyte could make. */
const sizes = [
  0,
  1,
  4095,
  4096,
  4097,
  65_535,
  65_536,
  65_537,
  512 * KiB - 1,
  512 * KiB,
  512 * KiB + 1,
  MiB - 1,
  MiB,
  MiB + 1,
  20 * MiB,
]

export function digestOf(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex')
}

/** `bytes` in chunks as a socket would give them. */
export function streamOf(bytes: Buffer, chunkSize = 64 * KiB): Readable {
  return Readable.from(chunksOf(bytes, chunkSize), { objectMode: false })
}

function* chunksOf(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function* failingAfter(bytes: Buffer): AsyncIterable<Buffer> {
  yield* chunksOf(bytes, 64 * KiB)
  await nextTurn()
  throw new Error('the source broke')
}

export async function everything(store: BlobStore): Promise<(StoredBlob | StrangeFile)[]> {
  const listed = []
  for await (const entry of store.list()) listed.push(entry)
  return listed
}

/** What every blob store does. `open` answers an empty one. */
export function blobStoreContract(name: string, open: () => Promise<BlobStore>): void {
  describe(`${name}: write and read`, () => {
    it.each(sizes)(
      'gives back %i bytes as they came, with their size and digests',
      async (size) => {
        await using store = await open()
        const bytes = randomBytes(size)
        const id = newBlobId()

        const blob = await store.write(id, streamOf(bytes), { ...roomy, algorithms: ['md5'] })

        expect(blob).toEqual({
          id,
          size,
          sha256: digestOf('sha256', bytes),
          digests: { md5: digestOf('md5', bytes) },
        })
        expect(digestOf('sha256', await buffer(await store.read(id)))).toBe(blob.sha256)
        expect(await store.size(id)).toBe(size)
      },
    )

    it('takes chunks of a single byte', async () => {
      await using store = await open()
      const bytes = randomBytes(5000)
      const id = newBlobId()
      const blob = await store.write(id, streamOf(bytes, 1), roomy)
      expect(blob).toMatchObject({ size: 5000, sha256: digestOf('sha256', bytes), digests: {} })
      expect(await buffer(await store.read(id))).toEqual(bytes)
    })

    it('keeps parallel writes apart', async () => {
      await using store = await open()
      const inputs = [3 * MiB, 10, 5 * MiB, 2 * MiB + 1, 0, 4 * MiB].map((size) => ({
        id: newBlobId(),
        bytes: randomBytes(size),
      }))
      const blobs = await Promise.all(
        inputs.map(({ id, bytes }) => store.write(id, streamOf(bytes), roomy)),
      )
      expect(blobs.map(({ sha256 }) => sha256)).toEqual(
        inputs.map(({ bytes }) => digestOf('sha256', bytes)),
      )
      for (const { id, bytes } of inputs) {
        expect((await buffer(await store.read(id))).equals(bytes)).toBe(true)
      }
    })

    it('never changes bytes that are written', async () => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(Buffer.from('first')), roomy)
      await expect(store.write(id, streamOf(Buffer.from('second')), roomy)).rejects.toThrow()
      expect(String(await buffer(await store.read(id)))).toBe('first')
    })

    it('is sound', async () => {
      await using store = await open()
      expect(store.health).toBe('sound')
    })
  })

  describe(`${name}: a write that fails`, () => {
    it.each([1, 100, 3 * MiB])(
      'takes exactly the limit of %i bytes, and no byte more',
      async (limit) => {
        await using store = await open()
        const exact = await store.write(newBlobId(), streamOf(randomBytes(limit)), { limit })
        expect(exact.size).toBe(limit)

        const over = store.write(newBlobId(), streamOf(randomBytes(limit + 1)), { limit })
        await expect(over).rejects.toThrow(FileTooLarge)
        expect(await everything(store)).toHaveLength(1)
      },
    )

    it('stops reading at the limit', async () => {
      await using store = await open()
      const endless = new Readable({
        read() {
          this.push(Buffer.alloc(64 * KiB))
        },
      })
      await expect(store.write(newBlobId(), endless, { limit: MiB })).rejects.toThrow(FileTooLarge)
      expect(endless.destroyed).toBe(true)
    })

    it('refuses an announced size beyond the limit before it reads', async () => {
      await using store = await open()
      const source = streamOf(Buffer.from('abc'))
      const write = store.write(newBlobId(), source, { limit: 2, expectedSize: 3 })
      await expect(write).rejects.toThrow(FileTooLarge)
      expect(source.readableDidRead).toBe(false)
    })

    it.each([0, 100, 3 * MiB])(
      'keeps nothing when the source breaks after %i bytes',
      async (size) => {
        await using store = await open()
        const source = Readable.from(failingAfter(randomBytes(size)), { objectMode: false })
        await expect(store.write(newBlobId(), source, roomy)).rejects.toThrow('the source broke')
        expect(await everything(store)).toEqual([])
      },
    )

    it('keeps nothing when the source is closed before its end', async () => {
      await using store = await open()
      const source = new PassThrough()
      source.write(randomBytes(2 * MiB))
      const write = store.write(newBlobId(), source, roomy)
      await nextTurn()
      source.destroy()
      await expect(write).rejects.toThrow(BrokenUpload)
      expect(await everything(store)).toEqual([])
    })

    it('keeps nothing when it is aborted', async () => {
      await using store = await open()
      const source = new PassThrough()
      source.write(randomBytes(2 * MiB))
      const abort = new AbortController()
      const write = store.write(newBlobId(), source, { ...roomy, signal: abort.signal })
      await once(source, 'drain')
      abort.abort()
      await expect(write).rejects.toThrow('aborted')
      expect(source.destroyed).toBe(true)
      expect(await everything(store)).toEqual([])
    })

    it('keeps nothing when a digest is unknown', async () => {
      await using store = await open()
      for (const size of [10, 3 * MiB]) {
        const options = { ...roomy, algorithms: ['no-such-digest'] }
        await expect(
          store.write(newBlobId(), streamOf(randomBytes(size)), options),
        ).rejects.toThrow()
      }
      expect(await everything(store)).toEqual([])
      await store.write(newBlobId(), streamOf(randomBytes(3 * MiB)), roomy)
    })
  })

  describe(`${name}: ranges`, () => {
    const ranges = [
      [0, 0],
      [0, 4999],
      [10, 19],
      [4999, 4999],
      [700_000, 1_800_000],
    ] as const

    it.each(ranges)('reads bytes %i to %i', async (start, end) => {
      await using store = await open()
      const bytes = randomBytes(2 * MiB)
      const id = newBlobId()
      await store.write(id, streamOf(bytes), roomy)
      const read = await buffer(await store.read(id, { start, end }))
      expect(read.equals(bytes.subarray(start, end + 1))).toBe(true)
    })

    it('fails when the blob ends before the range', async () => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(Buffer.from('abc')), roomy)
      const read = async (): Promise<Buffer> => buffer(await store.read(id, { start: 0, end: 3 }))
      await expect(read()).rejects.toThrow(DamagedFile)
    })
  })

  describe(`${name}: what is there`, () => {
    it('lists each blob with its size', async () => {
      await using store = await open()
      const ids = [newBlobId(), newBlobId(), newBlobId()]
      for (const [size, id] of ids.entries())
        await store.write(id, streamOf(randomBytes(size)), roomy)
      const listed = await everything(store)
      expect(listed).toHaveLength(3)
      for (const [size, id] of ids.entries()) {
        expect(listed).toContainEqual({ id, size, modified: anyDate })
      }
    })

    it('knows no size of a blob that is not there, and fails to read it', async () => {
      await using store = await open()
      expect(await store.size(newBlobId())).toBeUndefined()
      await expect(store.read(newBlobId())).rejects.toThrow(DamagedFile)
    })

    it('removes a blob, once or twice', async () => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(Buffer.from('abc')), roomy)
      await store.remove(id)
      await store.remove(id)
      await store.remove(newBlobId())
      expect(await store.size(id)).toBeUndefined()
      expect(await everything(store)).toEqual([])
    })

    it('sets a blob aside, once or twice', async () => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(Buffer.from('abc')), roomy)
      await store.quarantine(id)
      await store.quarantine(id)
      await expect(store.read(id)).rejects.toThrow(DamagedFile)
      expect(await everything(store)).toEqual([])
    })
  })
}
