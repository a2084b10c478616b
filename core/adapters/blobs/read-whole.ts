import { hash } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DamagedFile } from '../../errors.ts'
import type { Blob } from '../../files/file.ts'
import { openBlob } from './blob-reader.ts'
import type { DigestThread } from './digest-thread.ts'

/** Bytes. What is not larger is read and compared before the first byte is handed on. */
const smallSize = 512 * 1024

/**
 * Opens a file and compares it with what was measured when it was written: at once where it is
 * small, else on the thread of digests while it is read, with its last piece held back meanwhile.
 *
 * @throws {DamagedFile}
 */
export async function readWhole(blob: Blob, path: string, thread: DigestThread): Promise<Readable> {
  const bytes = await openBlob(path, { start: 0, end: blob.size - 1 })
  if (blob.size <= smallSize) {
    return Readable.from([await readSmall(blob, bytes)], { objectMode: false })
  }
  const digests = thread.follow(path, ['sha256'])
  digests.grow(blob.size)
  const digest = digests.finish(blob.size)
  // A failure waits for the end of the stream, which may never be reached.
  digest.catch(() => {})
  const held = new HeldEnd(async () => {
    const { sha256 } = await digest
    if (sha256 !== blob.sha256) throw new DamagedFile()
  })
  held.once('close', () => digests.drop())
  pipeline(bytes, held, () => {})
  return held
}

async function readSmall(blob: Blob, bytes: Readable): Promise<Buffer> {
  const all = await buffer(bytes)
  if (all.length === blob.size && hash('sha256', all, 'hex') === blob.sha256) return all
  throw new DamagedFile()
}

/** Passes everything on but the last piece, which follows once the whole was found good. */
class HeldEnd extends Transform {
  readonly #requireGood: () => Promise<void>
  #last: Buffer | undefined

  constructor(requireGood: () => Promise<void>) {
    super()
    this.#requireGood = requireGood
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#last) this.push(this.#last)
    this.#last = chunk
    done()
  }

  override _flush(done: (error?: Error | null, last?: Buffer) => void): void {
    void this.#finish(done)
  }

  async #finish(done: (error?: Error | null, last?: Buffer) => void): Promise<void> {
    let failure: DamagedFile | undefined
    try {
      await this.#requireGood()
    } catch (error) {
      failure = error instanceof DamagedFile ? error : new DamagedFile({ cause: error })
    }
    if (failure) done(failure)
    else done(null, this.#last)
  }
}
