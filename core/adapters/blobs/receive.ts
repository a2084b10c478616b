import { problem } from '../../errors/errors.ts'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf } from '../../base/errno.ts'

export interface Admission {
  /** Bytes; the first one beyond fails the stream. */
  readonly limit: number
  /** As of {@link WriteOptions}. */
  readonly admit?: (bytes: number) => void
}

/**
 * @param total bytes of the stream, with `further` that have just come
 * @throws {DepositError} file_too_large: and what `admit` throws
 */
export function requireAdmitted({ limit, admit }: Admission, total: number, further: number): void {
  if (total > limit) throw problem('file_too_large', { limit })
  admit?.(further)
}

/** Tells a stream, in its own way, what became of its work. */
export async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  let failure: Error | undefined
  try {
    await work
  } catch (error) {
    failure = toError(error)
  }
  done(failure)
}

/** A thrown value as an error, with which a stream can be destroyed. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The bytes were not stored', { cause: error })
}

/** Bytes. Smaller batches cost calls, larger ones fall out of the processor's cache. */
const batchSize = 512 * 1024

/** As many buffers as one call takes, so that a trickle of bytes holds little memory. */
const batchLength = 1024

/** Collects what is written into batches and stores one while the next one fills. */
class BatchSink extends Writable {
  readonly #admission: Admission
  readonly #store: (batch: readonly Buffer[]) => Promise<void>
  #batch: Buffer[] = []
  #batchBytes = 0
  #bytes = 0
  #storing = Promise.resolve()

  constructor(admission: Admission, store: (batch: readonly Buffer[]) => Promise<void>) {
    super({ highWaterMark: batchSize })
    this.#admission = admission
    this.#store = store
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#bytes += chunk.length
    try {
      requireAdmitted(this.#admission, this.#bytes, chunk.length)
    } catch (error) {
      done(toError(error))
      return
    }
    this.#batch.push(chunk)
    this.#batchBytes += chunk.length
    if (this.#batchBytes < batchSize && this.#batch.length < batchLength) done()
    else void settle(this.#flush(), done)
  }

  override _final(done: (error?: Error) => void): void {
    void settle(
      this.#flush().then(() => this.#storing),
      done,
    )
  }

  /** Answers once nothing is being stored any more, however the stream ended. */
  async settled(): Promise<void> {
    await this.#storing.catch(() => {})
  }

  /** Stores the bytes that have arrived after the source broke; later ones are lost. */
  async keepRest(): Promise<void> {
    if (this.#batch.length > 0) await this.#flush()
    await this.#storing
  }

  /** Answers when the batch before is stored, not this one. */
  async #flush(): Promise<void> {
    await this.#storing
    const batch = this.#batch
    this.#batch = []
    this.#batchBytes = 0
    this.#storing = this.#store(batch)
    this.#storing.catch((error: unknown) => this.destroy(toError(error)))
  }
}

interface ReceiveOptions {
  /** Bytes. */
  readonly limit: number
  readonly admit?: (bytes: number) => void
  readonly signal?: AbortSignal
  /** Keeps what arrived before the source broke: the rest will follow another time. */
  readonly isResumable?: true
  /** The memory of a batch may be freed; else `take`, who may, has a copy of it. */
  readonly isGivenAway?: true
}

const closed = 'ERR_STREAM_PREMATURE_CLOSE'
const broken = new Set([closed, 'ECONNRESET'])

/**
 * Gives all of `bytes` to `take`, one batch after another. A broken source is `broken_upload`;
 * failures of the storage have names of their own.
 *
 * @throws {DepositError} file_too_large: `bytes` is longer than the limit
 * @throws {DepositError} broken_upload: `bytes` was closed before its end
 */
export async function receive(
  bytes: Readable,
  take: (batch: readonly Buffer[]) => Promise<void>,
  { signal, isResumable, isGivenAway, ...admitted }: ReceiveOptions,
): Promise<void> {
  const sink = new BatchSink(admitted, isGivenAway ? releasing(take) : copying(take))
  try {
    await (signal || bytes.destroyed
      ? pipeline(bytes, sink, signal ? { signal } : {})
      : pour(bytes, sink))
  } catch (error) {
    await (isResumable ? sink.keepRest() : sink.settled())
    if (broken.has(codeOf(error))) throw problem('broken_upload', { cause: error })
    throw error
  }
}

/**
 * As `pipeline`, for a source that is open and cannot be cut off. That makes and aborts a controller
 * for each call, which takes longer than storing a few bytes.
 */
function pour(source: Readable, sink: Writable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (error: Error): void => {
    source.destroy(error)
    sink.destroy(error)
    reject(error)
  }
  source.once('error', fail).once('close', () => {
    if (!source.readableEnded) fail(Object.assign(new Error('Premature close'), { code: closed }))
  })
  sink.once('error', fail).once('finish', resolve)
  source.pipe(sink)
  return promise
}

type Take = (batch: readonly Buffer[]) => Promise<void>

/**
 * Frees the memory of each batch once the next one is taken, without waiting for a garbage
 * collection. The collector counts what every read of a socket allocates and marks the whole heap
 * each 20 MB of it: 47 times in an upload of 1 GiB, which took half of the processor time of the
 * daemon and 60 MB of memory.
 */
function releasing(take: Take): Take {
  let before: readonly Buffer[] = []
  return async (batch) => {
    await take(batch)
    release(before)
    before = batch
  }
}

/** Spares the memory of those who have not given it away. */
function copying(take: Take): Take {
  return (batch) => take(batch.map((bytes) => Buffer.from(bytes)))
}

/** Frees only buffers that fill their `ArrayBuffer`: others may read the rest of a shared one. */
function release(batch: readonly Buffer[]): void {
  for (const { buffer, byteLength } of batch) {
    // Transferred to another thread already.
    if (!(buffer instanceof ArrayBuffer) || buffer.detached) continue
    if (buffer.byteLength === byteLength) buffer.transfer(0)
  }
}
