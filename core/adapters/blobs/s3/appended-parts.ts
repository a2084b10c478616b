import type { BlobId } from '../../../files/file.ts'
import { beginParts, putTail, type Arrived, type PartsAt } from './arrived.ts'
import type { Bucket } from './bucket.ts'
import type { Multipart } from './parts.ts'

/** Adds parts, and a tail, to those that have arrived of an upload. */
export class AppendedParts {
  readonly #bucket: Bucket
  readonly #id: BlobId
  readonly #at: PartsAt
  readonly #before: Arrived
  #multipart: Multipart | undefined
  #count: number
  #partsSize: number
  #size: number

  constructor(bucket: Bucket, id: BlobId, at: PartsAt, before: Arrived) {
    this.#bucket = bucket
    this.#id = id
    this.#at = at
    this.#before = before
    this.#multipart = before.multipart
    this.#count = before.sent.length
    this.#partsSize = before.partsSize
    this.#size = before.size
  }

  /** Bytes that the store has, all told. */
  get size(): number {
    return this.#size
  }

  readonly send = async (part: Buffer): Promise<void> => {
    this.#multipart ??= await beginParts(this.#bucket, this.#id, this.#at)
    await this.#multipart.send(this.#count + 1, part)
    this.#count += 1
    this.#partsSize += part.length
    this.#size = Math.max(this.#size, this.#partsSize)
  }

  /** Keeps what does not fill a part, in place of what was kept so before. */
  async keep(tail: Buffer): Promise<void> {
    const end = this.#partsSize + tail.length
    if (end <= this.#before.size) return
    if (tail.length > 0) await putTail(this.#bucket, this.#id, this.#partsSize, tail)
    this.#size = end
    if (this.#before.tail) await this.#bucket.delete(this.#before.tail.key)
  }
}
