import { Writable } from 'node:stream'
import { requireAdmitted, settle, toError, type Admission } from './settle.ts'

/** Bytes. Smaller batches cost calls, larger ones fall out of the processor's cache. */
export const batchSize = 512 * 1024

/** As many buffers as one call takes, so that a trickle of bytes holds little memory. */
const batchLength = 1024

/** Collects what is written into batches and stores one while the next one fills. */
export class BatchSink extends Writable {
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

  /** Stores what has arrived, after the source broke; what arrives later is lost. */
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
