import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 of a file: 64 hexadecimal digits. */
export async function fileDigest(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const options = { highWaterMark: 512 * 1024, ...(signal && { signal }) }
  for await (const chunk of createReadStream(path, options) as AsyncIterable<Buffer>) {
    hash.update(chunk)
  }
  return hash.digest('hex')
}
