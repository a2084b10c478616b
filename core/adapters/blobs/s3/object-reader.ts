import { Readable } from 'node:stream'
import { isProblem, problem } from '../../../errors/errors.ts'
import type { ByteRange } from '../../../ports/blob-store.ts'
import type { Bucket, OpenObject } from './bucket.ts'
import { isOutside } from './s3-errors.ts'
import { ContentDigests } from './content-digests.ts'

/** Attempts in a row to resume a broken download, with growing pauses. */
const mostAttempts = 5
/** Milliseconds. */
const pause = 400

/**
 * Opens an object for reading. A connection that breaks is opened again, at the same position.
 *
 * @throws {DepositError} damaged_file: it is missing, or shorter than `range` asks
 */
export async function readObject(
  bucket: Bucket,
  key: string,
  range?: ByteRange,
): Promise<Readable> {
  const opened = await open(bucket, key, range)
  return new ObjectReader(bucket, key, opened, range?.start ?? 0)
}

async function open(bucket: Bucket, key: string, range?: ByteRange): Promise<OpenObject> {
  const opened = await bucket.open(key, range).catch((error: unknown) => {
    if (isOutside(error)) throw problem('damaged_file', { cause: error })
    throw error
  })
  if (!opened) throw problem('damaged_file')
  if (!range || opened.size === range.end - range.start + 1) return opened
  opened.bytes.destroy()
  throw problem('damaged_file')
}

class ObjectReader extends Readable {
  readonly #bucket: Bucket
  readonly #key: string
  readonly #end: number
  #source: Readable
  #chunks: AsyncIterator<Buffer, undefined>
  #position: number
  #failures = 0

  constructor(bucket: Bucket, key: string, { bytes, size }: OpenObject, start: number) {
    super()
    this.#bucket = bucket
    this.#key = key
    this.#source = bytes
    this.#chunks = chunksOf(bytes)
    this.#position = start
    this.#end = start + size
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk),
      (error: unknown) => this.destroy(error instanceof Error ? error : problem('damaged_file')),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.destroy()
    done(error)
  }

  async #next(): Promise<Buffer | null> {
    for (;;) {
      try {
        const next = await this.#chunks.next()
        if (!next.done) return this.#passed(next.value)
        if (this.#position === this.#end) return null
        throw new Error(`The object ends before byte ${this.#end}`)
      } catch (error) {
        await this.#takeUp(error)
      }
    }
  }

  #passed(chunk: Buffer): Buffer {
    this.#position += chunk.length
    this.#failures = 0
    return chunk
  }

  /**
   * @throws {DepositError} storage_unavailable: it broke off too often
   * @throws {unknown} `error` itself, where the reader has gone: that says nothing of the store
   */
  async #takeUp(error: unknown): Promise<void> {
    if (this.destroyed) throw error
    this.#failures += 1
    if (this.#failures > mostAttempts) throw this.#bucket.failed(error)
    await this.#bucket.pause(this.#failures * pause)
    const left = { start: this.#position, end: this.#end - 1 }
    try {
      const { bytes } = await open(this.#bucket, this.#key, left)
      this.#source = bytes
      this.#chunks = chunksOf(bytes)
    } catch (failure) {
      if (isProblem(failure, 'damaged_file')) throw failure
      await this.#takeUp(failure)
    }
    if (this.destroyed) this.#source.destroy()
  }
}

function chunksOf(bytes: Readable): AsyncIterator<Buffer, undefined> {
  const chunks: AsyncIterable<Buffer, undefined> = bytes
  return chunks[Symbol.asyncIterator]()
}

/** Reads an object back, and measures it. @throws {DepositError} damaged_file: there is none */
export async function digestsOf(
  bucket: Bucket,
  key: string,
  algorithms: readonly string[],
): Promise<ReturnType<ContentDigests['digests']>> {
  const measured = new ContentDigests(algorithms)
  const bytes: AsyncIterable<Buffer> = await readObject(bucket, key)
  for await (const chunk of bytes) measured.add(chunk)
  return measured.digests()
}
