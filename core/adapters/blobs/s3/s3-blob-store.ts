import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { problem } from '../../../errors/errors.ts'
import { parseBlobId, type Blob, type BlobId } from '../../../files/file.ts'
import type {
  BlobStore,
  BlobStoreHealth,
  ByteRange,
  DownloadAs,
  StoredBlob,
  StoreFault,
  StrangeFile,
  WriteOptions,
} from '../../../ports/blob-store.ts'
import type { UploadStore } from '../../../ports/upload-store.ts'
import { HeldRemovals } from '../held-removals.ts'
import type { Room } from '../../storage-health.ts'
import type { Abilities } from './abilities.ts'
import { blobFolder, keyOf } from './s3-address.ts'
import type { Bucket } from './bucket.ts'
import { ContentDigests } from './content-digests.ts'
import type { Intents } from './intents.ts'
import { moveObject } from './move-object.ts'
import { readObject } from './object-reader.ts'
import { ObjectWriter } from './object-writer.ts'
import { PartSink, receiveParts } from './part-sink.ts'
import { abortParts, mostBytes, partSizeFor } from './parts.ts'
import { S3UploadStore } from './s3-upload-store.ts'
import { verified } from './verified-bytes.ts'
import { GetObjectCommand } from '@aws-sdk/client-s3'

/** Dependencies of the store beside the bucket. */
export interface S3Parts {
  readonly abilities: Abilities
  readonly intents: Intents
  /** Of the disk where rows may lie. */
  readonly room: Room
}

/** Blobs as objects of a bucket, each under a key of its own from its first byte on. */
export class S3BlobStore implements BlobStore {
  readonly uploads: UploadStore
  readonly #bucket: Bucket
  readonly #abilities: Abilities
  readonly #intents: Intents
  readonly #room: Room
  readonly #removals: HeldRemovals

  constructor(bucket: Bucket, { abilities, intents, room }: S3Parts) {
    this.#bucket = bucket
    this.#abilities = abilities
    this.#intents = intents
    this.#room = room
    this.#removals = new HeldRemovals((id) => this.#remove(id))
    this.uploads = new S3UploadStore(bucket, abilities, intents)
  }

  get health(): BlobStoreHealth {
    return this.#bucket.isReachable ? 'sound' : 'away'
  }

  get clockAheadMs(): number {
    return this.#bucket.clockAheadMs
  }

  /** A bucket has no end that it would tell of. */
  readonly requireRoom = async (): Promise<void> => {}

  readonly usedUp = async (): Promise<readonly string[]> => []

  readonly isShort = async (): Promise<boolean> => false

  readonly requireRoomForRows = (): Promise<void> => this.#room.requireForRows()

  readonly write = async (id: BlobId, bytes: Readable, options: WriteOptions): Promise<Blob> => {
    const { expectedSize = 0, limit, admit, algorithms = [], signal } = options
    if (expectedSize > limit) throw problem('file_too_large', { limit })
    const measured = new ContentDigests(algorithms)
    const intent = await this.#begin(id)
    const writer = new ObjectWriter(this.#bucket, keyOf(id), this.#abilities)
    const partSize = partSizeFor(expectedSize)
    const sink = new PartSink({
      partSize,
      limit: Math.min(limit, mostBytes(partSize)),
      ...(admit && { admit }),
      passing: (chunk) => measured.add(chunk),
      send: writer.send,
    })
    try {
      await receiveParts(bytes, sink, signal)
      await intent.requireKept()
      const { sha256, ...digests } = measured.digests()
      const blob = { id, size: measured.size, sha256, digests }
      await writer.finish(sink.rest(), blob)
      return blob
    } catch (error) {
      await sink.settled().catch(() => {})
      await this.#discard(id, writer)
      throw error
    }
  }

  readonly read = (id: BlobId, range?: ByteRange): Promise<Readable> =>
    readObject(this.#bucket, keyOf(id), range)

  readonly readWhole = async (blob: Blob): Promise<Readable> => {
    const all = blob.size > 0 ? { start: 0, end: blob.size - 1 } : undefined
    return verified(blob, await this.read(blob.id, all))
  }

  readonly copyOut = async (id: BlobId, path: string): Promise<void> => {
    const bytes = await this.read(id)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const file = await open(path, flags, 0o400)
    await pipeline(bytes, file.createWriteStream({ flush: true }))
  }

  readonly holdRemovals = (): AsyncDisposable => this.#removals.hold()

  readonly remove = (id: BlobId): Promise<void> => this.#removals.remove(id)

  readonly size = async (id: BlobId): Promise<number | undefined> =>
    (await this.#bucket.head(keyOf(id)))?.size

  async *list(): AsyncGenerator<StoredBlob | StrangeFile, void, undefined> {
    for await (const { key, size, modified } of this.#bucket.list(blobFolder)) {
      const id = parseBlobId(key.slice(blobFolder.length))
      if (id) yield { id, size, modified }
      else yield { strange: key }
    }
  }

  /** The store looks after itself, and tells us nothing of it. */
  readonly inspect = async (): Promise<readonly StoreFault[]> => []

  /** The time tells apart what was set aside, restored, and set aside again. */
  readonly quarantine = (id: BlobId): Promise<void> =>
    moveObject(this.#bucket, keyOf(id), `quarantine/${id}.${Date.now()}`)

  readonly findAside = async (id: BlobId): Promise<string | undefined> => {
    let last: string | undefined
    for await (const { key } of this.#bucket.list(`quarantine/${id}.`)) last = key
    return last
  }

  readonly removeAside = async (ids: readonly BlobId[]): Promise<void> => {
    const removed = new Set<string>(ids)
    for await (const { key } of this.#bucket.list('quarantine/')) {
      if (removed.has(key.slice('quarantine/'.length).replace(/\.\d+$/, '')))
        await this.#bucket.delete(key)
    }
  }

  readonly addressOf = (blob: Blob, as: DownloadAs): Promise<string> =>
    presign(this.#bucket, keyOf(blob.id), as)

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bucket[Symbol.dispose]()
  }

  /** Says that the blob is on its way, and makes sure that nothing would be replaced. */
  async #begin(id: BlobId) {
    const requireFree = async (): Promise<void> => {
      if (await this.#bucket.head(keyOf(id))) throw new Error(`There is a blob ${id} already`)
    }
    const [intent] = await Promise.all([this.#intents.begin(id), requireFree()])
    return intent
  }

  /** If the removal fails, the intent stays and the garbage collection removes the blob later. */
  async #discard(id: BlobId, writer: ObjectWriter): Promise<void> {
    try {
      await writer.discard()
      await this.#intents.end(id)
    } catch {
      // The caller gets the failure that led here.
    }
  }

  /** If the removal fails, an intent lets the garbage collection remove the blob later. */
  async #remove(id: BlobId): Promise<void> {
    try {
      await Promise.all([abortParts(this.#bucket, keyOf(id)), this.#bucket.delete(keyOf(id))])
    } catch (error) {
      await this.#intents.begin(id)
      throw error
    }
  }
}

/** Seconds that an address is good for; a download that has begun goes on. */
const expiresIn = 300

/** An address under which anybody can read one object for a moment. */
async function presign(
  bucket: Bucket,
  key: string,
  { mediaType, disposition, cacheControl }: DownloadAs,
): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const command = new GetObjectCommand({
    ...bucket.at(key),
    ResponseContentType: mediaType,
    ResponseContentDisposition: disposition,
    ResponseCacheControl: cacheControl,
  })
  return getSignedUrl(bucket.client, command, { expiresIn })
}

/** How many of the blobs are in a bucket, which may be missing. */
export async function countHeld(bucket: Bucket, ids: readonly BlobId[]): Promise<number> {
  if (!bucket.isThere) return 0
  const heads = await Promise.all(ids.map((id) => bucket.head(keyOf(id))))
  return heads.filter((head) => head !== undefined).length
}
