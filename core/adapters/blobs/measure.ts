import { hash } from 'node:crypto'
import type { Blob, BlobId } from '../../files/file.ts'
import type { BlobThread, Digests, Following } from './blob-thread.ts'
import type { PartFile } from './part-file.ts'

/** Digests of a part that is being written: of one batch at once, of more on a thread. */
export class Measure implements Disposable {
  readonly #path: string
  readonly #algorithms: readonly string[]
  readonly #thread: BlobThread
  #only: readonly Buffer[] | undefined = undefined
  #following: Following | undefined
  #isDropped = false

  /** @param path of the file; whatever it has when the first batch comes is measured too */
  constructor(path: string, algorithms: readonly string[], thread: BlobThread) {
    this.#path = path
    this.#algorithms = algorithms
    this.#thread = thread
  }

  /** Appends `batch`, whose memory may be taken, to the file, which is `part`, and measures it. */
  async append(part: PartFile, batch: readonly Buffer[]): Promise<void> {
    // The last batch of an upload that failed may be stored after the failure.
    if (this.#isDropped) return part.append(batch)
    if (part.size === 0) {
      await part.append(batch)
      this.#only = batch
      return
    }
    const following = this.#follow(part.size)
    try {
      await part.extend(bytesOf(batch), (descriptor, position) =>
        following.write(descriptor, position, batch),
      )
    } catch (error) {
      // The next attempt at this file starts with a living thread.
      this.#following = undefined
      following.drop()
      throw error
    }
  }

  /** @param size bytes of the file, all told */
  async finish(size: number): Promise<Digests> {
    const isFollowed = this.#following !== undefined || bytesOf(this.#only ?? []) !== size
    if (isFollowed) return this.#follow(size).finish(size)
    return digestsOf(this.#only ?? [], this.#algorithms)
  }

  [Symbol.dispose](): void {
    this.#isDropped = true
    this.#following?.drop()
  }

  /** @param size bytes that the file has by now */
  #follow(size: number): Following {
    if (this.#following) return this.#following
    this.#only = undefined
    this.#following = this.#thread.follow(this.#path, this.#algorithms)
    this.#following.grow(size)
    return this.#following
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
