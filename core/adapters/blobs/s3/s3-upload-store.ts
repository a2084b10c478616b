import type { Readable } from 'node:stream'
import { isProblem, problem, type DepositError } from '../../../errors/errors.ts'
import type { Blob, BlobId } from '../../../files/file.ts'
import type { AppendOptions, UploadProgress, UploadStore } from '../../../ports/upload-store.ts'
import type { Abilities } from './abilities.ts'
import { AppendedParts } from './appended-parts.ts'
import { clearArrived, findArrived, listArrived, type Arrived, type PartsAt } from './arrived.ts'
import { keyOf } from './s3-address.ts'
import type { Bucket } from './bucket.ts'
import { ContentDigests } from './content-digests.ts'
import type { Intents } from './intents.ts'
import { digestsOf } from './object-reader.ts'
import { ObjectWriter } from './object-writer.ts'
import { PartSink, receiveParts } from './part-sink.ts'
import { abortParts, mostBytes, partSizeFor } from './parts.ts'

/** Most uploads whose digests are kept between two appends; the others are read back. */
const measuredLimit = 64

const nothing: Arrived = { sent: [], partsSize: 0, size: 0, touched: new Date(0) }

/**
 * Uploads as parts of the object they become. A part has at least 5 MiB, so what does not fill one
 * is an object of its own until the next bytes come: in the bucket, where everything else of the
 * upload is and bytes cost nothing but their room, rather than in the rows. All of it is found from
 * the id alone, by any daemon.
 *
 * Who appends has the lock of the upload (`SharedLocks`), and writes nothing once it may be lost. A
 * part or a tail that was on its way when a daemon died, or was cut off, may still arrive when another
 * has taken over. All cut at the same places, so it has the bytes that a client sent for this place: it
 * changes nothing unless the client sends another file over the same upload.
 */
export class S3UploadStore implements UploadStore {
  readonly #bucket: Bucket
  readonly #abilities: Abilities
  readonly #intents: Intents
  /** Digests of uploads that this process received without a gap, the one used last at the end. */
  readonly #measured = new Map<BlobId, ContentDigests>()

  constructor(bucket: Bucket, abilities: Abilities, intents: Intents) {
    this.#bucket = bucket
    this.#abilities = abilities
    this.#intents = intents
  }

  readonly find = async (id: BlobId): Promise<UploadProgress | undefined> => {
    const arrived = await this.#findArrived(id)
    if (arrived && arrived.size > 0) return arrived
    // A finish that was not recorded has made the object already.
    const done = await this.#bucket.head(keyOf(id))
    return done ? { size: done.size, touched: done.modified } : arrived
  }

  readonly append = async (
    id: BlobId,
    bytes: Readable,
    { offset, limit, admit, algorithms = [], signal, requireTurn }: AppendOptions,
  ): Promise<number> => {
    const arrived = (await this.#findArrived(id)) ?? nothing
    if (arrived.size !== offset) throw problem('upload_conflict')
    const held = arrived.tail && (await this.#bucket.get(arrived.tail.key))
    const measured = this.#measureOf(id, offset, algorithms)
    const parts = new AppendedParts(this.#bucket, id, this.#partsAt(id), arrived)
    const partSize = arrived.sent[0]?.Size ?? partSizeFor(offset + limit)
    const most = mostBytes(partSize)
    const sink = new PartSink({
      partSize,
      limit: Math.min(limit, most - offset),
      ...(admit && { admit }),
      passing: (chunk) => measured?.add(chunk),
      send: async (part) => {
        requireTurn?.()
        await parts.send(part)
      },
      ...(held && { held }),
    })
    try {
      await receiveParts(bytes, sink, signal)
    } catch (error) {
      const isOutOfParts = isProblem(error, 'file_too_large') && most - offset < limit
      throw isOutOfParts ? lengthNeeded(most) : error
    } finally {
      // A part that could not be sent is a gap: the bytes after it do not count.
      await sink.settled()
      requireTurn?.()
      await parts.keep(sink.rest())
      // What was measured and is not there may arrive at another daemon, with other bytes.
      if (measured && measured.size !== parts.size) this.#measured.delete(id)
    }
    return parts.size
  }

  readonly finish = async (id: BlobId, algorithms: readonly string[]): Promise<Blob> => {
    const done = await this.#bucket.head(keyOf(id))
    const blob = done
      ? await this.#measureBack(id, done.size, algorithms)
      : await this.#complete(id, algorithms)
    this.#measured.delete(id)
    await clearArrived(this.#bucket, id)
    return blob
  }

  readonly remove = async (id: BlobId): Promise<void> => {
    this.#measured.delete(id)
    await abortParts(this.#bucket, keyOf(id))
    await clearArrived(this.#bucket, id)
    await this.#bucket.delete(keyOf(id))
  }

  readonly list = (): Promise<readonly BlobId[]> => listArrived(this.#bucket)

  async #complete(id: BlobId, algorithms: readonly string[]): Promise<Blob> {
    const { tail, multipart, sent, size } = (await this.#findArrived(id)) ?? nothing
    const rest = (tail && (await this.#bucket.get(tail.key))) ?? Buffer.alloc(0)
    await this.#intents.begin(id)
    const begun = multipart && sent.length > 0 ? { multipart, sent } : undefined
    const writer = new ObjectWriter(this.#bucket, keyOf(id), this.#abilities, begun)
    const measured = begun ? this.#known(id, size, algorithms) : measure(rest, algorithms)
    if (!measured) {
      await writer.complete(rest)
      return this.#measureBack(id, size, algorithms)
    }
    const { sha256, ...digests } = measured.digests()
    await writer.finish(rest, { size, sha256 })
    return { id, size, sha256, digests }
  }

  /** Digests of all that has arrived, where this process has received all of it. */
  #known(id: BlobId, size: number, algorithms: readonly string[]): ContentDigests | undefined {
    const measured = this.#measured.get(id)
    return measured?.size === size && measured.covers(algorithms) ? measured : undefined
  }

  async #measureBack(id: BlobId, size: number, algorithms: readonly string[]): Promise<Blob> {
    const { sha256, ...digests } = await digestsOf(this.#bucket, keyOf(id), algorithms)
    return { id, size, sha256, digests }
  }

  /** The digests of an upload under way, which are those used last from now on. */
  #measureOf(
    id: BlobId,
    offset: number,
    algorithms: readonly string[],
  ): ContentDigests | undefined {
    const known = this.#known(id, offset, algorithms)
    const measured = known ?? (offset === 0 ? new ContentDigests(algorithms) : undefined)
    this.#measured.delete(id)
    if (measured) this.#measured.set(id, measured)
    const [oldest] = this.#measured.keys()
    if (oldest !== undefined && this.#measured.size > measuredLimit) this.#measured.delete(oldest)
    return measured
  }

  #findArrived(id: BlobId): Promise<Arrived | undefined> {
    return findArrived(this.#bucket, id, this.#partsAt(id))
  }

  #partsAt(id: BlobId): PartsAt {
    return { key: keyOf(id), isChecked: this.#abilities.checksums }
  }
}

function measure(bytes: Buffer, algorithms: readonly string[]): ContentDigests {
  const measured = new ContentDigests(algorithms)
  measured.add(bytes)
  return measured
}

/** An upload of unknown length was cut into as many parts as it may have: `limit` bytes. */
function lengthNeeded(limit: number): DepositError<'file_too_large'> {
  return problem('file_too_large', {
    message:
      `The store takes ${limit} bytes of an upload that was begun without its length, and no more. ` +
      'Delete it, and begin it again with Upload-Length.',
  })
}
