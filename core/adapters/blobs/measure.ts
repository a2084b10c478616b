import { hash } from 'node:crypto'
import type { DigestTail, Digests, DigestThread } from './digest-thread.ts'
import type { PartFile } from './part-file.ts'

/**
 * Digests of a part that is being written: of one batch at once, of more on the thread that reads
 * behind the writer, so that the writer never waits for a digest but at the end.
 */
export class Measure implements Disposable {
  readonly #part: PartFile
  readonly #algorithms: readonly string[]
  readonly #thread: DigestThread
  #only: readonly Buffer[] | undefined = undefined
  #tail: DigestTail | undefined
  #isDropped = false

  constructor(part: PartFile, algorithms: readonly string[], thread: DigestThread) {
    this.#part = part
    this.#algorithms = algorithms
    this.#thread = thread
  }

  /** `batch` was appended to the part. */
  add(batch: readonly Buffer[]): void {
    // The last batch of an upload that failed may be stored after the failure.
    if (this.#isDropped) return
    if (!this.#tail && !this.#only) {
      this.#only = batch
      return
    }
    this.#only = undefined
    this.#tail ??= this.#thread.follow(this.#part.path, this.#algorithms)
    this.#tail.grow(this.#part.size)
  }

  async finish(): Promise<Digests> {
    if (this.#tail) return this.#tail.finish(this.#part.size)
    const bytes = Buffer.concat(this.#only ?? [])
    return Object.fromEntries(this.#algorithms.map((name) => [name, hash(name, bytes, 'hex')]))
  }

  [Symbol.dispose](): void {
    this.#isDropped = true
    this.#tail?.drop()
  }
}
