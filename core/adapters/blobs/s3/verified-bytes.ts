import { hash } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { problem } from '../../../errors/errors.ts'
import type { Blob } from '../../../files/file.ts'
import { ContentDigests } from './content-digests.ts'

/** Bytes. A blob up to this size is compared before its first byte is handed on. */
const smallSize = 512 * 1024

/**
 * Passes the bytes of a blob on, and fails before the last ones where they are not those that were
 * written.
 *
 * @throws {DepositError} damaged_file: it is small, and damaged
 */
export async function verified(blob: Blob, bytes: Readable): Promise<Readable> {
  if (blob.size > smallSize) {
    const held = new HeldEnd(blob)
    pipeline(bytes, held, () => {})
    return held
  }
  const all = await buffer(bytes)
  if (all.length !== blob.size || hash('sha256', all, 'hex') !== blob.sha256) {
    throw problem('damaged_file')
  }
  return Readable.from([all], { objectMode: false })
}

/** Holds the last piece back until the whole was found good. */
class HeldEnd extends Transform {
  readonly #blob: Blob
  readonly #passed = new ContentDigests([])
  #last: Buffer | undefined

  constructor(blob: Blob) {
    super()
    this.#blob = blob
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#passed.add(chunk)
    if (this.#last) this.push(this.#last)
    this.#last = chunk
    done()
  }

  override _flush(done: (error?: Error | null, last?: Buffer) => void): void {
    const isGood = this.#passed.digests().sha256 === this.#blob.sha256
    if (isGood) done(null, this.#last)
    else done(problem('damaged_file'))
  }
}
