import { hash } from 'node:crypto'
import type { Blob, BlobId } from '../../files/file.ts'
import type { DigestTail, Digests, DigestThread } from './digest-thread.ts'

/**
 * Digests of a part that is being written: of one batch at once, of more on the thread that reads
 * behind the writer, so that the writer never waits for a digest but at the end.
 */
export class Measure implements Disposable {
  readonly #path: string
  readonly #algorithms: readonly string[]
  readonly #thread: DigestThread
  #only: readonly Buffer[] | undefined = undefined
  #tail: DigestTail | undefined
  #isDropped = false

  /** @param path of the file; whatever it has when the first batch is added is measured too */
  constructor(path: string, algorithms: readonly string[], thread: DigestThread) {
    this.#path = path
    this.#algorithms = algorithms
    this.#thread = thread
  }

  /** `batch` was appended to the file, which has `size` bytes now. */
  add(batch: readonly Buffer[], size: number): void {
    // The last batch of an upload that failed may be stored after the failure.
    if (this.#isDropped) return
    if (!this.#tail && !this.#only && size === bytesOf(batch)) this.#only = batch
    else this.#follow().grow(size)
  }

  /** @param size bytes of the file, all told */
  async finish(size: number): Promise<Digests> {
    if (this.#tail || bytesOf(this.#only ?? []) !== size) return this.#follow().finish(size)
    return digestsOf(this.#only ?? [], this.#algorithms)
  }

  [Symbol.dispose](): void {
    this.#isDropped = true
    this.#tail?.drop()
  }

  #follow(): DigestTail {
    this.#only = undefined
    return (this.#tail ??= this.#thread.follow(this.#path, this.#algorithms))
  }
}

/** Digests of few bytes, at once. */
export function digestsOf(batch: readonly Buffer[], algorithms: readonly string[]): Digests {
  const bytes = Buffer.concat(batch)
  return Object.fromEntries(algorithms.map((name) => [name, hash(name, bytes, 'hex')]))
}

export function toBlob(id: BlobId, size: number, { sha256 = '', ...digests }: Digests): Blob {
  return { id, size, sha256, digests }
}

export function bytesOf(batch: readonly Buffer[]): number {
  return batch.reduce((sum, { length }) => sum + length, 0)
}
