import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { FileBody } from '../../core/contract/schemas.ts'

/** A file up to this size is small. Bytes. */
export const smallFileBytes = 64 * 1024

/**
 * Reads a small file synchronously: handing 10,000 files of 4 KiB to other threads takes a second
 * of processor time, reading them here a twentieth of that.
 */
function readSmallFile(path: string): Buffer {
  return readFileSync(path)
}

/** Between the disk and the digest. Bytes. */
const chunkBytes = 1024 * 1024

interface SizedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Of a file that was read before, and cannot be read by its path. */
  readonly packed?: { readonly digest: string } | undefined
}

/** The digest of a file as the server writes it: `sha256:` and hexadecimal digits. */
export async function fileDigest({ path, size, packed }: SizedFile): Promise<string> {
  if (packed !== undefined) return packed.digest
  const hash = createHash('sha256')
  if (size <= smallFileBytes) hash.update(readSmallFile(path))
  else await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash)
  return `sha256:${hash.digest('hex')}`
}

/** True when `file` holds the bytes of `stored`. It is read only where the sizes agree. */
export async function hasDigest(
  file: SizedFile,
  { filesize, checksum }: FileBody,
): Promise<boolean> {
  return file.size === filesize && (await fileDigest(file)) === checksum
}
