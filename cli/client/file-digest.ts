import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { FileBody } from '../../core/contract/schemas.ts'
import { readSmallFile, smallFileBytes } from './small-file.ts'

/** Between the disk and the digest. Bytes. */
const chunkBytes = 1024 * 1024

interface SizedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** The digest of a file as the server writes it: `sha256:` and hexadecimal digits. */
export async function fileDigest({ path, size }: SizedFile): Promise<string> {
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
