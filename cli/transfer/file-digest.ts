import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { FileBody } from '../../core/contract/schemas.ts'

/** Between the disk and the digest. Bytes. */
const chunkBytes = 1024 * 1024

/** The digest of a file as the server writes it: `sha256:` and hexadecimal digits. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash)
  return `sha256:${hash.digest('hex')}`
}

/** True when the file at `path` holds the bytes of `stored`. It is read only where the sizes agree. */
export async function hasDigest(
  { path, size }: { readonly path: string; readonly size: number },
  { filesize, checksum }: FileBody,
): Promise<boolean> {
  return size === filesize && (await fileDigest(path)) === checksum
}
