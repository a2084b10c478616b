import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newBlobId, StagedBlob, type BundledFile, type StagedBundle } from '../../core/index.ts'

/** Reads bytes that were stored before, only to tell whether they are the same. */
export async function measureOnly(bytes: Readable): Promise<StagedBlob> {
  const sha256 = createHash('sha256')
  const md5 = createHash('md5')
  let size = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length
    sha256.update(chunk)
    md5.update(chunk)
  }
  const digests = { md5: md5.digest('hex') }
  const blob = { id: newBlobId(), size, sha256: sha256.digest('hex'), digests }
  return new StagedBlob(blob, async () => {})
}

/** As {@link measureOnly}, of several files. */
export async function measureBundle(bundle: readonly BundledFile[]): Promise<StagedBundle> {
  const measuring = bundle.map(async ({ key, name, bytes }) => ({
    key,
    name,
    staged: await measureOnly(Readable.from([bytes])),
  }))
  return { files: await Promise.all(measuring), [Symbol.asyncDispose]: async () => {} }
}

/** The identity of a file: its key, its size and its digest. */
export function fileContent(key: string, { blob }: StagedBlob): string {
  return [key, blob.size, blob.sha256].join('\n')
}
