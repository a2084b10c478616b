import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { DamagedFile, Overloaded } from '../../errors.ts'
import type { ByteRange } from '../../ports/blob-store.ts'
import { errorCode } from '../storage-health.ts'

/** Bytes of one reading, and of what waits for a slow reader. */
const chunkSize = 512 * 1024

const damaged = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EIO'])

/**
 * Opens the file at `path` for reading.
 *
 * @throws {DamagedFile} it is missing, unreadable, or shorter than `range` asks
 */
export async function openBlob(path: string, range?: ByteRange): Promise<Readable> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW
  const handle = await reading(() => open(path, flags))
  try {
    const stats = await reading(() => handle.stat())
    const { start, end } = range ?? { start: 0, end: stats.size - 1 }
    if (!stats.isFile() || !isReadable(stats.mode) || end >= stats.size) throw new DamagedFile()
    return new BlobReader(handle, start, end + 1)
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A superuser can read what its owner may not: that would hide the damage. */
function isReadable(mode: number): boolean {
  return (mode & constants.S_IRUSR) !== 0
}

class BlobReader extends Readable {
  readonly #handle: FileHandle
  readonly #end: number
  #position: number

  constructor(handle: FileHandle, start: number, end: number) {
    super({ highWaterMark: chunkSize })
    this.#handle = handle
    this.#position = start
    this.#end = end
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk),
      (error: unknown) => this.destroy(new DamagedFile({ cause: error })),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#close(() => done(error))
  }

  async #close(done: () => void): Promise<void> {
    // Nothing was written, so nothing is lost where closing fails.
    await this.#handle.close().catch(() => {})
    done()
  }

  async #next(): Promise<Buffer | null> {
    const length = Math.min(chunkSize, this.#end - this.#position)
    if (length <= 0) return null
    const chunk = Buffer.allocUnsafeSlow(length)
    const { bytesRead } = await this.#handle.read(chunk, 0, length, this.#position)
    if (bytesRead === 0) throw new Error(`The file ends before byte ${this.#end}`)
    this.#position += bytesRead
    return chunk.subarray(0, bytesRead)
  }
}

async function reading<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const code = errorCode(error)
    if (damaged.has(code)) throw new DamagedFile({ cause: error })
    if (code === 'EMFILE' || code === 'ENFILE') throw new Overloaded({ cause: error })
    throw error
  }
}
