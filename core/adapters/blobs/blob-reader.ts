import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Duplex, Readable } from 'node:stream'
import { isProblem, problem, type DepositError } from '../../errors/errors.ts'
import type { ByteRange } from '../../ports/blob-store.ts'
import { codeOf } from '../../base/errno.ts'

/** Bytes of one reading, and of what waits for a slow reader. */
const chunkSize = 512 * 1024

const damaged = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EIO'])

/**
 * Opens the file at `path` for reading.
 *
 * @param requireGood held back until then is the last piece; where it fails, so does the stream
 * @throws {DepositError} damaged_file: it is missing, unreadable, or shorter than `range` asks
 */
export async function openBlob(
  path: string,
  range?: ByteRange,
  requireGood?: () => Promise<void>,
): Promise<Readable> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW
  const handle = await reading(() => open(path, flags))
  try {
    const stats = await reading(() => handle.stat())
    const { start, end } = range ?? { start: 0, end: stats.size - 1 }
    if (!stats.isFile() || !isReadable(stats.mode) || end >= stats.size)
      throw problem('damaged_file')
    return new BlobReader({ handle, start, end: end + 1, requireGood })
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A superuser can read what its owner may not: that would hide the damage. */
function isReadable(mode: number): boolean {
  return (mode & constants.S_IRUSR) !== 0
}

interface Reading {
  readonly handle: FileHandle
  readonly start: number
  /** The byte after the last one. */
  readonly end: number
  readonly requireGood: (() => Promise<void>) | undefined
}

/**
 * Reads a file piece by piece. Where it is piped to what passes nothing on, such as an answer, the
 * memory of a piece is used again once it is written: otherwise most of the time goes into fresh
 * pages, and hundreds of megabytes wait for the collector.
 */
class BlobReader extends Readable {
  readonly #handle: FileHandle
  readonly #end: number
  readonly #requireGood: () => Promise<void>
  #position: number
  readonly #spare: Buffer[] = []

  constructor({ handle, start, end, requireGood = async () => {} }: Reading) {
    super({ highWaterMark: chunkSize })
    this.#handle = handle
    this.#position = start
    this.#end = end
    this.#requireGood = requireGood
  }

  override pipe<To extends NodeJS.WritableStream>(
    destination: To,
    options?: { readonly end?: boolean },
  ): To {
    if (destination instanceof Duplex || options?.end === false) {
      return super.pipe(destination, options)
    }
    this.on('data', (piece: Buffer) => {
      const isRoom = destination.write(piece, () => this.#spare.push(piece))
      if (!isRoom) this.pause()
    })
    destination.on('drain', () => this.resume())
    this.once('end', () => destination.end())
    return destination
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk),
      (error: unknown) => this.destroy(toDamage(error)),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#close(() => done(error))
  }

  async #close(done: () => void): Promise<void> {
    // The file was only read, so no bytes are lost if closing it fails.
    await this.#handle.close().catch(() => {})
    done()
  }

  async #next(): Promise<Buffer | null> {
    const length = Math.min(chunkSize, this.#end - this.#position)
    if (length <= 0) return null
    const chunk = this.#memory(length)
    const { bytesRead } = await this.#handle.read(chunk, 0, length, this.#position)
    if (bytesRead === 0) throw new Error(`The file ends before byte ${this.#end}`)
    this.#position += bytesRead
    if (this.#position === this.#end) await this.#requireGood()
    return chunk.subarray(0, bytesRead)
  }

  #memory(length: number): Buffer {
    const spare = this.#spare.pop()
    return spare && spare.length >= length ? spare : Buffer.allocUnsafeSlow(length)
  }
}

function toDamage(error: unknown): DepositError<'damaged_file'> {
  return isProblem(error, 'damaged_file') ? error : problem('damaged_file', { cause: error })
}

async function reading<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const code = codeOf(error)
    if (damaged.has(code)) throw problem('damaged_file', { cause: error })
    if (code === 'EMFILE' || code === 'ENFILE') throw problem('overloaded', { cause: error })
    throw error
  }
}
