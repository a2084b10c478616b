import { createHash } from 'node:crypto'
import { isProblem } from '../errors/errors.ts'
import type { Blob } from '../files/file.ts'
import type { BlobStore } from '../ports/blob-store.ts'

/** A fault in the bytes of a blob. */
export interface BlobDamage {
  readonly message: string
  /** There are bytes, and they are not those that were written. */
  readonly isWrong: boolean
}

export interface Examination {
  /** Reads the bytes and computes their digest; else only whether there are as many. */
  readonly reads: boolean
  /** Told of bytes that were read, and waited for: holds the reading to a rate. */
  readonly pace?: (bytes: number) => Promise<void>
}

/** Compares the bytes of a blob with what its row says; undefined where they are good. */
export async function examineBlob(
  blobs: BlobStore,
  blob: Blob,
  { reads, pace }: Examination,
): Promise<BlobDamage | undefined> {
  const size = await blobs.size(blob.id)
  if (size === undefined) return { message: 'is missing', isWrong: false }
  if (size !== blob.size) {
    return { message: `has ${size} bytes in place of ${blob.size}`, isWrong: true }
  }
  try {
    const bytes = await blobs.read(blob.id)
    if (!reads) {
      bytes.destroy()
      return undefined
    }
    const digest = createHash('sha256')
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      digest.update(chunk)
      await pace?.(chunk.length)
    }
    if (digest.digest('hex') === blob.sha256) return undefined
    return { message: 'has bytes that do not match its digest', isWrong: true }
  } catch (error) {
    if (isProblem(error, 'damaged_file')) return { message: 'cannot be read', isWrong: false }
    throw error
  }
}
