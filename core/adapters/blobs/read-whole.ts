import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { problem } from '../../errors/errors.ts'
import type { Blob } from '../../files/file.ts'
import { openBlob } from './blob-reader.ts'
import type { BlobThread } from './blob-thread.ts'

/** Bytes. A file up to this size is read and compared before its first byte is handed on. */
const smallSize = 512 * 1024

/**
 * Opens a file and compares it with its digest: a small one before it is read; a larger one while
 * it is read, on the thread of digests, with the last piece held back until they agree. What is sent
 * to a client is what is measured; the file is read once.
 *
 * @throws {DepositError} damaged_file
 */
export async function readWhole(blob: Blob, path: string, thread: BlobThread): Promise<Readable> {
  const range = { start: 0, end: blob.size - 1 }
  if (blob.size <= smallSize) {
    return streamOf(requireSame(blob, await readAll(await openBlob(path, range))))
  }
  const digests = thread.follow(path, ['sha256'])
  try {
    const bytes = await openBlob(path, range, {
      readBeside: () => digests.grow(blob.size),
      measure: (position, piece) => digests.measure(position, piece),
      requireGood: async () => {
        const { sha256 } = await digests.finish(blob.size)
        if (sha256 !== blob.sha256) throw problem('damaged_file')
      },
    })
    bytes.once('close', () => digests.drop())
    return bytes
  } catch (error) {
    digests.drop()
    throw error
  }
}

/** `buffer()` of Node.js makes a `Blob` first, which takes longer than reading. */
async function readAll(bytes: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of bytes) pieces.push(piece as Buffer)
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

/** @throws {DepositError} damaged_file: `bytes` are not those that were measured */
export function requireSame(blob: Blob, bytes: Buffer): Buffer {
  const isSame = bytes.length === blob.size && hash('sha256', bytes, 'hex') === blob.sha256
  if (isSame) return bytes
  throw problem('damaged_file')
}

export function streamOf(bytes: Buffer): Readable {
  return Readable.from([bytes], { objectMode: false })
}
