import { join } from 'node:path'
import type { Blob, BlobId } from '../../files/file.ts'
import type { StorageHealth } from '../storage-health.ts'
import type { BlobFolder } from './blob-folder.ts'
import type { BlobThread } from './blob-thread.ts'
import { bytesOf, digestsOf, Measure, toBlob } from './measure.ts'
import { PartFile } from './part-file.ts'
import type { Room } from './room.ts'
import { smallLimit, type SmallBlobs } from './small-blobs.ts'

/** Bytes that the log takes beside those of a blob: a page of each tree that changes with it. */
const logMargin = 64 * 1024

/** Where the bytes of a blob may come to lie, and what they are measured with. */
export interface BlobPlaces {
  readonly health: StorageHealth
  readonly room: Room
  readonly blobs: BlobFolder
  readonly small: SmallBlobs
  readonly thread: BlobThread
  /** Folder of what is being written. */
  readonly parts: string
}

/**
 * Bytes that arrive and become a blob: held in memory while they are few, in a part file from the
 * batch on that is too much. Disposing of it removes them, unless they were kept.
 */
export class IncomingBlob implements AsyncDisposable {
  readonly #id: BlobId
  readonly #algorithms: readonly string[]
  readonly #places: BlobPlaces
  #held: Buffer = Buffer.alloc(0)
  #large: { readonly part: PartFile; readonly measure: Measure } | undefined
  #isKept = false

  constructor(id: BlobId, algorithms: readonly string[], places: BlobPlaces) {
    this.#id = id
    this.#algorithms = ['sha256', ...algorithms]
    this.#places = places
  }

  /** Prepares for `size` bytes, where somebody announced how many. */
  async expect(size: number): Promise<void> {
    await this.#places.room.require(size)
    if (size > smallLimit) await this.#spill()
  }

  /** Takes the next bytes, where there is room for them. */
  readonly take = async (batch: readonly Buffer[]): Promise<void> => {
    const size = bytesOf(batch)
    await this.#places.room.take(size)
    if (this.#large || this.#held.length + size > smallLimit) await this.#append(batch)
    else this.#held = Buffer.concat([this.#held, ...batch])
  }

  /** Answers once the bytes, of which there are no more, are durable under their id. */
  keep(): Promise<Blob> {
    return this.#large ? this.#keepFile(this.#large) : this.#keepRow()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#large?.measure[Symbol.dispose]()
    if (!this.#isKept) await this.#large?.part.discard()
  }

  async #append(batch: readonly Buffer[]): Promise<void> {
    const { part, measure } = this.#large ?? (await this.#spill())
    await measure.append(part, batch)
  }

  async #spill() {
    const { parts, health, thread } = this.#places
    const part = await PartFile.create(join(parts, `${this.#id}.part`), health)
    const measure = new Measure(part.path, this.#algorithms, thread)
    this.#large = { part, measure }
    const held = [this.#held]
    this.#held = Buffer.alloc(0)
    if (bytesOf(held) > 0) await this.#append(held)
    return this.#large
  }

  async #keepRow(): Promise<Blob> {
    const digests = digestsOf([this.#held], this.#algorithms)
    const { room, small } = this.#places
    // A row is written twice: to the log, and from there into place.
    await room.take(this.#held.length + logMargin)
    await small.write(this.#id, this.#held)
    if (room.isShort) await small.saveRoom()
    return toBlob(this.#id, this.#held.length, digests)
  }

  /** Once the bytes are there, what is left of the digests goes on beside the syncs. */
  async #keepFile({ part, measure }: { part: PartFile; measure: Measure }): Promise<Blob> {
    const { health, blobs, small } = this.#places
    const steps = [
      health.changing(() => measure.finish(part.size)),
      part.seal(),
      blobs.prepare(this.#id),
    ] as const
    // None may still use the part when a failure of another discards it.
    await Promise.allSettled(steps)
    const [digests] = await Promise.all(steps)
    if (small.has(this.#id)) throw new Error(`There is a blob ${this.#id} already`)
    await blobs.keep(part.path, this.#id)
    this.#isKept = true
    return toBlob(this.#id, part.size, digests)
  }
}
