import { Writable, type Readable } from 'node:stream'
import { requireAdmitted, settle, toError, type Admission } from '../receive.ts'
import { pipeline } from 'node:stream/promises'
import { problem } from '../../../errors/errors.ts'
import { codeOf } from '../../../base/errno.ts'

export interface PartSinkOptions extends Admission {
  /** Bytes of each part but the last. */
  readonly partSize: number
  /** Bytes that were received before, and are the beginning of the first part. */
  readonly held?: Buffer
  /** Told of every chunk before it is kept. */
  readonly passing: (chunk: Buffer) => void
  /** Sends a part away; one at a time, in their order. */
  readonly send: (part: Buffer) => Promise<void>
}

/** Cuts what is written into parts of one size, and sends one while the next one fills. */
export class PartSink extends Writable {
  readonly #options: PartSinkOptions
  #chunks: Buffer[] = []
  #filled = 0
  #taken = 0
  #taking = Promise.resolve()
  #sending = Promise.resolve()

  constructor(options: PartSinkOptions) {
    super({ highWaterMark: 64 * 1024 })
    this.#options = options
    if (options.held) this.#keep(options.held)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#taken += chunk.length
    try {
      requireAdmitted(this.#options, this.#taken, chunk.length)
    } catch (error) {
      done(toError(error))
      return
    }
    this.#options.passing(chunk)
    this.#taking = this.#take(chunk)
    void settle(this.#taking, done)
  }

  override _final(done: (error?: Error) => void): void {
    void settle(this.#sending, done)
  }

  /** Answers once nothing is being sent any more; fails where a part could not be. */
  async settled(): Promise<void> {
    await this.#taking
    await this.#sending
  }

  /** Bytes since the last whole part. */
  rest(): Buffer {
    return Buffer.concat(this.#chunks, this.#filled)
  }

  async #take(chunk: Buffer): Promise<void> {
    let left = chunk
    while (left.length > 0) {
      const room = this.#options.partSize - this.#filled
      this.#keep(left.subarray(0, room))
      left = left.subarray(room)
      if (this.#filled === this.#options.partSize) await this.#flush()
    }
  }

  #keep(bytes: Buffer): void {
    this.#chunks.push(bytes)
    this.#filled += bytes.length
  }

  /** Answers when the part before is sent, not this one. */
  async #flush(): Promise<void> {
    await this.#sending
    const part = this.rest()
    this.#chunks = []
    this.#filled = 0
    this.#sending = this.#options.send(part)
    this.#sending.catch((error: unknown) => this.destroy(toError(error)))
  }
}

const broken: ReadonlySet<string> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'])

/**
 * Lets all of `bytes` flow into `sink`. A broken source is `broken_upload`; failures of the store
 * have names of their own.
 *
 * @throws {DepositError} file_too_large: `bytes` is longer than the limit
 * @throws {DepositError} broken_upload: `bytes` was closed before its end
 */
export async function receiveParts(
  bytes: Readable,
  sink: PartSink,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await pipeline(bytes, sink, signal ? { signal } : {})
  } catch (error) {
    if (broken.has(codeOf(error))) throw problem('broken_upload', { cause: error })
    throw error
  }
}
