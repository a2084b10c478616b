import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { newBlobId } from '../../core/files/file.ts'
import type { BlobStore } from '../../core/ports/blob-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { anyDate, digestOf, everything, smallAndLarge, streamOf } from './blob-samples.ts'

const roomy = { limit: 64 * 1024 * 1024 }

/** Blobs as a whole: they are read, copied, and put together. */
export function wholeBlobsContract(name: string, open: () => Promise<BlobStore>): void {
  describe(`${name}: whole blobs`, () => {
    it.each([0, ...smallAndLarge])('passes on %i bytes as they were written', async (size) => {
      await using store = await open()
      const bytes = randomBytes(size)
      const blob = await store.write(newBlobId(), streamOf(bytes), roomy)
      expect(await buffer(await store.readWhole(blob))).toEqual(bytes)
    })

    it.each(smallAndLarge)('does not pass on %i bytes that have changed', async (size) => {
      await using store = await open()
      const blob = await store.write(newBlobId(), streamOf(randomBytes(size)), roomy)
      const other = { ...blob, sha256: digestOf('sha256', randomBytes(size)) }
      const read = async (): Promise<Buffer> => buffer(await store.readWhole(other))
      await expect(read()).rejects.toMatchObject({ code: 'damaged_file' })
    })

    it.each([0, ...smallAndLarge])('copies %i bytes out to a file', async (size) => {
      await using store = await open()
      await using folder = await temporaryFolder()
      const bytes = randomBytes(size)
      const { id } = await store.write(newBlobId(), streamOf(bytes), roomy)
      for (const share of [true, false]) {
        const path = join(folder.path, String(share))
        await store.copyOut(id, path, share)
        expect(await readFile(path)).toEqual(bytes)
        expect((await stat(path)).mode & 0o777).toBe(0o400)
        await expect(store.copyOut(id, path, share)).rejects.toThrow('EEXIST')
      }
    })

    it('copies nothing when there is no blob', async () => {
      await using store = await open()
      await using folder = await temporaryFolder()
      const copy = store.copyOut(newBlobId(), join(folder.path, 'copy'), false)
      await expect(copy).rejects.toMatchObject({ code: 'damaged_file' })
    })
  })

  describe(`${name}: an upload in pieces`, () => {
    it.each(smallAndLarge)('becomes a blob like any other, of %i bytes', async (size) => {
      await using store = await open()
      const bytes = randomBytes(size)
      const id = newBlobId()
      await store.uploads.append(id, streamOf(bytes.subarray(0, 40)), { offset: 0, limit: size })
      await store.uploads.append(id, streamOf(bytes.subarray(40)), { offset: 40, limit: size })

      const blob = await store.uploads.finish(id, [])

      expect(blob).toEqual({ id, size, sha256: digestOf('sha256', bytes), digests: {} })
      expect(await store.uploads.finish(id, [])).toEqual(blob)
      expect(await store.uploads.list()).toEqual([])
      expect(await buffer(await store.readWhole(blob))).toEqual(bytes)
      expect(await everything(store)).toEqual([{ id, size, modified: anyDate }])
      await store.remove(id)
      expect(await everything(store)).toEqual([])
    })
  })
}
