import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { newBlobId } from '../../core/files/file.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { anyDate, chunksOf, digestOf, everything, smallAndLarge, streamOf } from './blob-samples.ts'
import { wholeBlobsContract } from './whole-blobs.contract.ts'

const KiB = 1024
const MiB = 1024 * KiB
const roomy = { limit: 64 * MiB }

/** Sizes around the limits of a page, a chunk, a batch and a megabyte. */
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

async function* failingAfter(bytes: Buffer): AsyncIterable<Buffer> {
  yield* chunksOf(bytes, 64 * KiB)
  await nextTurn()
  throw new Error('the source broke')
}

/** The behaviour of every blob store. `open` answers an empty one. */
export function blobStoreContract(name: string, open: () => Promise<BlobStore>): void {
  describe(`${name}: write and read`, () => {
    it.each(sizes)('returns %i bytes unchanged, with their size and digests', async (size) => {
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
    })

    it('accepts chunks of a single byte', async () => {
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

    it.each(smallAndLarge)('never changes %i written bytes', async (size) => {
      await using store = await open()
      const id = newBlobId()
      const first = randomBytes(size)
      await store.write(id, streamOf(first), roomy)
      for (const next of [randomBytes(size), randomBytes(MiB)]) {
        await expect(store.write(id, streamOf(next), roomy)).rejects.toThrow()
      }
      expect(await buffer(await store.read(id))).toEqual(first)
    })

    it('keeps many simultaneous small writes apart', async () => {
      await using store = await open()
      const inputs = Array.from({ length: 60 }, (_, size) => ({
        id: newBlobId(),
        bytes: randomBytes(size * 1000),
      }))
      await Promise.all(inputs.map(({ id, bytes }) => store.write(id, streamOf(bytes), roomy)))
      for (const { id, bytes } of inputs) {
        expect(await buffer(await store.read(id))).toEqual(bytes)
      }
    })

    it('reports its health as sound', async () => {
      await using store = await open()
      expect(store.health).toBe('sound')
    })
  })

  describe(`${name}: a write that fails`, () => {
    it.each([1, 100, 3 * MiB])(
      'accepts exactly the limit of %i bytes, and no byte more',
      async (limit) => {
        await using store = await open()
        const exact = await store.write(newBlobId(), streamOf(randomBytes(limit)), { limit })
        expect(exact.size).toBe(limit)

        const over = store.write(newBlobId(), streamOf(randomBytes(limit + 1)), { limit })
        await expect(over).rejects.toMatchObject({ code: 'file_too_large' })
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
      await expect(store.write(newBlobId(), endless, { limit: MiB })).rejects.toMatchObject({
        code: 'file_too_large',
      })
      expect(endless.destroyed).toBe(true)
    })

    it('refuses an announced size beyond the limit before it reads', async () => {
      await using store = await open()
      const source = streamOf(Buffer.from('abc'))
      const write = store.write(newBlobId(), source, { limit: 2, expectedSize: 3 })
      await expect(write).rejects.toMatchObject({ code: 'file_too_large' })
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
      await expect(write).rejects.toMatchObject({ code: 'broken_upload' })
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

    it.each(smallAndLarge)('fails when a blob of %i bytes ends before the range', async (size) => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(randomBytes(size)), roomy)
      const read = async (): Promise<Buffer> =>
        buffer(await store.read(id, { start: 0, end: size }))
      await expect(read()).rejects.toMatchObject({ code: 'damaged_file' })
    })

    it('reads a part of a small blob', async () => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(Buffer.from('abcdef')), roomy)
      expect(String(await buffer(await store.read(id, { start: 2, end: 4 })))).toBe('cde')
    })
  })

  wholeBlobsContract(name, open)

  describe(`${name}: stored blobs`, () => {
    it('lists each blob with its size', async () => {
      await using store = await open()
      const written = [0, 1, 2, 3 * MiB].map((size) => ({ id: newBlobId(), size }))
      for (const { id, size } of written) await store.write(id, streamOf(randomBytes(size)), roomy)
      const listed = await everything(store)
      expect(listed).toHaveLength(written.length)
      for (const { id, size } of written) {
        expect(listed).toContainEqual({ id, size, modified: anyDate })
      }
    })

    it('has no size for a missing blob, and fails to read it', async () => {
      await using store = await open()
      expect(await store.size(newBlobId())).toBeUndefined()
      await expect(store.read(newBlobId())).rejects.toMatchObject({ code: 'damaged_file' })
    })

    it.each(smallAndLarge)('removes a blob of %i bytes, once or twice', async (size) => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(randomBytes(size)), roomy)
      await store.remove(id)
      await store.remove(id)
      await store.remove(newBlobId())
      expect(await store.size(id)).toBeUndefined()
      expect(await everything(store)).toEqual([])
    })

    it.each(smallAndLarge)('keeps %i bytes while removals are held', async (size) => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(randomBytes(size)), roomy)
      {
        await using _ = store.holdRemovals()
        await store.remove(id)
        expect(await store.size(id)).toBe(size)
      }
      expect(await store.size(id)).toBeUndefined()
    })

    it('keeps bytes while one of two holders of removals still reads', async () => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(randomBytes(10)), roomy)
      await using _ = store.holdRemovals()
      const second = store.holdRemovals()
      await store.remove(id)
      await second[Symbol.asyncDispose]()
      expect(await store.size(id)).toBe(10)
    })

    it('finds no damage in itself', async () => {
      await using store = await open()
      await store.write(newBlobId(), streamOf(Buffer.from('abc')), roomy)
      expect(await store.inspect()).toEqual([])
    })

    it.each(smallAndLarge)('sets a blob of %i bytes aside, once or twice', async (size) => {
      await using store = await open()
      const id = newBlobId()
      await store.write(id, streamOf(randomBytes(size)), roomy)
      expect(await store.findAside(id)).toBeUndefined()
      await store.quarantine(id)
      await store.quarantine(id)
      expect(await store.findAside(id)).toMatch(new RegExp(`^quarantine/${id}\\.\\d+$`))
      await expect(store.read(id)).rejects.toMatchObject({ code: 'damaged_file' })
      expect(await everything(store)).toEqual([])
    })

    it.each(smallAndLarge)('removes what was set aside of one blob of %i bytes', async (size) => {
      await using store = await open()
      const [id, other] = [newBlobId(), newBlobId()]
      for (const each of [id, other]) {
        await store.write(each, streamOf(randomBytes(size)), roomy)
        await store.quarantine(each)
      }

      await store.removeAside([id])

      expect(await store.findAside(id)).toBeUndefined()
      expect(await store.findAside(other)).toBeDefined()
    })
  })
}
