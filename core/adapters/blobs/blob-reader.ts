import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Duplex, Readable } from 'node:stream'
import { isProblem, problem, type DepositError } from '../../errors/errors.ts'
import type { ByteRange } from '../../ports/blob-store.ts'
import { codeOf } from '../../base/errno.ts'

/** Bytes of one reading, and of what waits for a slow reader. */
const chunkSize = 512 * 1024

/** Pieces that wait to be measured before another is read. */
const mostMeasured = 4

/** How the bytes that are read are compared with those that were stored. */
export interface Measuring {
  /** Nobody gives the pieces: the file is to be read for it. */
  readonly readBeside: () => void
  /** Measures a piece that is handed on already; answers its memory, which it has meanwhile. */
  readonly measure: (
    position: number,
    piece: Uint8Array<ArrayBuffer>,
  ) => Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Held back until then is the last piece; where it fails, so does the stream. */
  readonly requireGood: () => Promise<void>
}

const damaged = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EIO'])

/**
 * Opens the file at `path` for reading.
 *
 * @throws {DepositError} damaged_file: it is missing, unreadable, or shorter than `range` asks
 */
export async function openBlob(
  path: string,
  range?: ByteRange,
  measuring?: Measuring,
): Promise<Readable> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW
  const handle = await reading(() => open(path, flags))
  try {
    const stats = await reading(() => handle.stat())
    const { start, end } = range ?? { start: 0, end: stats.size - 1 }
    if (!stats.isFile() || !isReadable(stats.mode) || end >= stats.size)
      throw problem('damaged_file')
    return new BlobReader({ handle, start, end: end + 1, measuring })
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
  readonly measuring: Measuring | undefined
}

/**
 * Reads a file piece by piece. Where it is piped to what passes nothing on, such as an answer, the
 * memory of a piece is used again once it is written: otherwise most of the time goes into fresh
 * pages, and hundreds of megabytes wait for the collector.
 */
class BlobReader extends Readable {
  readonly #handle: FileHandle
  readonly #end: number
  readonly #measuring: Measuring | undefined
  #position: number
  #isPiped = false
  #isRead = false
  readonly #spare: Buffer<ArrayBuffer>[] = []
  /** Pieces that are handed on and being measured, the oldest first. */
  readonly #measured: Promise<void>[] = []

  constructor({ handle, start, end, measuring }: Reading) {
    super({ highWaterMark: chunkSize })
    this.#handle = handle
    this.#position = start
    this.#end = end
    this.#measuring = measuring
  }

  override pipe<To extends NodeJS.WritableStream>(
    destination: To,
    options?: { readonly end?: boolean },
  ): To {
    if (destination instanceof Duplex || options?.end === false) {
      return super.pipe(destination, options)
    }
    this.#isPiped = true
    let at = this.#position
    this.on('data', (piece: Buffer<ArrayBuffer>) => {
      const position = at
      at += piece.length
      const isRoom = destination.write(piece, () => this.#regain(position, piece))
      if (!isRoom) this.pause()
    })
    destination.on('drain', () => this.resume())
    this.once('end', () => destination.end())
    return destination
  }

  override _read(): void {
    if (!this.#isRead && !this.#isPiped) this.#measuring?.readBeside()
    this.#isRead = true
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

  async #next(): Promise<Buffer<ArrayBuffer> | null> {
    const length = Math.min(chunkSize, this.#end - this.#position)
    if (length <= 0) return null
    if (this.#measured.length >= mostMeasured) await this.#measured.shift()
    const chunk = this.#memory(length)
    const { bytesRead } = await this.#handle.read(chunk, 0, length, this.#position)
    if (bytesRead === 0) throw new Error(`The file ends before byte ${this.#end}`)
    this.#position += bytesRead
    if (this.#position === this.#end) await this.#measuring?.requireGood()
    return chunk.subarray(0, bytesRead)
  }

  /** A piece is written: its memory is used again, once it is measured where that is asked. */
  #regain(position: number, piece: Buffer<ArrayBuffer>): void {
    const isLent = this.#measuring && !this.destroyed && piece.buffer.byteLength === chunkSize
    if (isLent) this.#measured.push(this.#measure(position, piece))
    else this.#spare.push(piece)
  }

  /** A failure is told by `requireGood`. */
  async #measure(position: number, piece: Buffer<ArrayBuffer>): Promise<void> {
    const memory = await this.#measuring?.measure(position, piece).catch(() => undefined)
    if (memory) this.#spare.push(Buffer.from(memory.buffer))
  }

  #memory(length: number): Buffer<ArrayBuffer> {
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
