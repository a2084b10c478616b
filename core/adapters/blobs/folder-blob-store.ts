import { join, dirname, resolve } from 'node:path'
import type { Blob, BlobId } from '../../files/file.ts'
import { Room, StorageHealth, type Release } from '../storage-health.ts'
import { BlobFolder, DirectorySyncs } from './blob-folder.ts'
import { BlobThread } from './blob-thread.ts'
import { bytesOf, digestsOf, Measure, toBlob, PartFile } from './part-file.ts'
import { smallLimit, SmallBlobs } from './small-blobs.ts'
import { lstat, mkdir, readdir, rm, stat, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { problem } from '../../errors/errors.ts'
import type {
  BlobStore,
  BlobStoreHealth,
  ByteRange,
  StoredBlob,
  StoreFault,
  StrangeFile,
  WriteOptions,
} from '../../ports/blob-store.ts'
import type { UploadStore } from '../../ports/upload-store.ts'
import { openBlob } from './blob-reader.ts'
import { FolderUploadStore } from './folder-upload-store.ts'
import { copyOut, writeOut } from './copy-out.ts'
import { HeldRemovals } from './held-removals.ts'
import { readWhole, requireSame, streamOf } from './read-whole.ts'
import { receive } from './receive.ts'

/**
 * Opens the store in the folder `root`, and makes it if it is missing. `blobs/` holds one file per
 * blob, `small-blobs.db` one row per small blob, `tmp/` blobs being written, `uploads/` unfinished
 * uploads, `quarantine/` blobs set aside. Everything in `tmp/` is removed as left by a dead process,
 * so the caller must make sure that no other process uses the store.
 *
 * @param report told of failures that no caller waits for
 * @param blobs elsewhere where the rest is a copy of what cannot be written
 * @param release makes room on a full disk
 * @param notice told when `blobs` goes away and when it is back
 */
export async function openFolderBlobStore(
  root: string,
  report: (error: unknown) => void = () => {},
  health: StorageHealth = new StorageHealth(),
  blobs: string = join(resolve(root), 'blobs'),
  release?: Release,
  notice?: (text: string) => void,
): Promise<BlobStore> {
  const path = resolve(root)
  const syncs = new DirectorySyncs(health)
  await mkdir(path, { recursive: true, mode: 0o700 })
  await syncs.make(path)
  // Where nothing can be written, after an error of the disk nothing can be synced either.
  if (resolve(blobs) === join(path, 'blobs')) await makeFolder(blobs, syncs)
  else await requireFolder(blobs)
  for (const name of ['tmp', 'uploads', 'quarantine']) await makeFolder(join(path, name), syncs)
  await clear(join(path, 'tmp'))
  const small = await SmallBlobs.open(join(path, 'small-blobs.db'), health, report)
  const room = new Room(path, health, release)
  const isApart = (await stat(blobs)).dev !== (await stat(path)).dev
  const itsRoom = isApart ? new Room(blobs, health, release) : undefined
  const folder = await BlobFolder.at(blobs, { health, syncs, room: itsRoom, notice })
  return new FolderBlobStore({ root: path, blobs: folder, health, syncs, small, room })
}

interface StoreParts {
  readonly root: string
  readonly blobs: BlobFolder
  readonly health: StorageHealth
  readonly syncs: DirectorySyncs
  readonly small: SmallBlobs
  /** Of the disk of all but the blobs, and of theirs where they have no other. */
  readonly room: Room
}

class FolderBlobStore implements BlobStore {
  readonly uploads: UploadStore
  readonly #parts: StoreParts
  readonly #blobs: BlobFolder
  readonly #room: Room
  readonly #removals: HeldRemovals
  readonly #thread = new BlobThread()

  constructor(parts: StoreParts) {
    const { root, blobs, health, syncs, room } = parts
    this.#parts = parts
    this.#blobs = blobs
    this.#room = room
    this.#removals = new HeldRemovals((id) => this.#remove(id))
    const shared = { health, syncs, room, blobs, thread: this.#thread }
    this.uploads = new FolderUploadStore(join(root, 'uploads'), shared)
  }

  get health(): BlobStoreHealth {
    const { health, blobs } = this.#parts
    return health.state === 'sound' && !blobs.isInPlace ? 'away' : health.state
  }

  readonly requireRoom = async (bytes: number): Promise<void> => {
    await this.#room.require(bytes)
    await this.#blobs.requireRoom(bytes)
  }

  readonly usedUp = async (): Promise<readonly string[]> => {
    const own = (await this.#room.askWhetherUsedUp()) ? [this.#parts.root] : []
    return [...own, ...(await this.#blobs.usedUp())]
  }

  readonly isShort = async (): Promise<boolean> =>
    (await this.#room.askWhetherShort()) || this.#blobs.isShort()

  readonly requireRoomForRows = (): Promise<void> => this.#room.requireForRows()

  readonly write = async (id: BlobId, bytes: Readable, options: WriteOptions): Promise<Blob> => {
    this.#parts.health.requireSound()
    const { expectedSize = 0, limit, algorithms = [] } = options
    if (expectedSize > limit) throw problem('file_too_large', { limit })
    await using incoming = new IncomingBlob(id, algorithms, this.#places)
    await incoming.expect(expectedSize)
    await receive(bytes, incoming.take, options)
    const blob = await incoming.keep()
    // Where there was room for this, there may be for what had to wait.
    await this.#parts.small.catchUp().catch(() => {})
    return blob
  }

  readonly read = async (id: BlobId, range?: ByteRange): Promise<Readable> => {
    const small = await this.#readSmall(id)
    if (!small) return this.#blobs.looking(() => openBlob(this.#blobs.pathOf(id), range))
    const { start, end } = range ?? { start: 0, end: small.length - 1 }
    if (end >= small.length) throw problem('damaged_file')
    return streamOf(small.subarray(start, end + 1))
  }

  readonly readWhole = async (blob: Blob): Promise<Readable> => {
    const small = await this.#readSmall(blob.id)
    if (!small) {
      const path = this.#blobs.pathOf(blob.id)
      return this.#blobs.looking(() => readWhole(blob, path, this.#thread))
    }
    return streamOf(requireSame(blob, small))
  }

  readonly copyOut = async (id: BlobId, path: string, share: boolean): Promise<void> => {
    const small = await this.#readSmall(id)
    if (small) await writeOut(small, path)
    else await this.#blobs.looking(() => copyOut(this.#blobs.pathOf(id), path, share))
  }

  readonly holdRemovals = (): AsyncDisposable => this.#removals.hold()

  readonly remove = (id: BlobId): Promise<void> => this.#removals.remove(id)

  readonly size = async (id: BlobId): Promise<number | undefined> =>
    this.#parts.small.knownSize(id) ?? this.#blobs.size(id)

  async *list(): AsyncIterable<StoredBlob | StrangeFile> {
    yield* this.#parts.small.list()
    yield* this.#blobs.list()
  }

  readonly inspect = (): Promise<readonly StoreFault[]> => this.#parts.small.inspect()

  /** The time tells apart what was set aside, restored, and set aside again. */
  readonly quarantine = async (id: BlobId): Promise<void> => {
    const { root, health, syncs, small } = this.#parts
    const target = join(root, 'quarantine', `${id}.${Date.now()}`)
    const bytes = await this.#readSmall(id)
    if (!bytes) return this.#blobs.moveOut(id, target)
    await health.changing(() => writeOut(bytes, target))
    await syncs.sync(dirname(target))
    await small.remove(id)
  }

  readonly findAside = async (id: BlobId): Promise<string | undefined> => {
    const names = await readdir(join(this.#parts.root, 'quarantine'))
    const last = names.filter((name) => name.startsWith(`${id}.`)).toSorted()
    return last.length === 0 ? undefined : `quarantine/${last.at(-1)}`
  }

  readonly removeAside = async (ids: readonly BlobId[]): Promise<void> => {
    const { root, health, syncs } = this.#parts
    const folder = join(root, 'quarantine')
    const removed = new Set<string>(ids)
    const names = (await readdir(folder)).filter((name) => removed.has(name.replace(/\.\d+$/, '')))
    if (names.length === 0) return
    for (const name of names) await health.changing(() => unlink(join(folder, name)))
    await syncs.sync(folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#blobs[Symbol.dispose]()
    await this.#thread[Symbol.asyncDispose]()
    await this.#parts.small[Symbol.asyncDispose]()
  }

  get #places(): BlobPlaces {
    const { root, health, small } = this.#parts
    const parts = join(root, 'tmp')
    return { health, small, parts, room: this.#room, blobs: this.#blobs, thread: this.#thread }
  }

  async #remove(id: BlobId): Promise<void> {
    const { small } = this.#parts
    if (!small.has(id)) return this.#blobs.remove(id)
    await small.remove(id)
    if (this.#room.isShort) await small.saveRoom()
  }

  /**
   * The bytes of a small blob; undefined for a large one, and for one that an operator has put back
   * as a file.
   *
   * @throws {DepositError} damaged_file: there is no such file, and the rows cannot be read
   */
  async #readSmall(id: BlobId): Promise<Buffer | undefined> {
    try {
      return this.#parts.small.read(id)
    } catch (error) {
      if ((await this.#blobs.size(id)) !== undefined) return undefined
      throw error
    }
  }
}

async function makeFolder(path: string, syncs: DirectorySyncs): Promise<void> {
  await syncs.make(path)
  await requireFolder(path)
}

/** A link in its place would lead the bytes elsewhere. */
async function requireFolder(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a directory`)
}

async function clear(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

/** Bytes that the log takes beside those of a blob: a page of each tree that changes with it. */
const logMargin = 64 * 1024

/** The places a blob can be stored in, and the thread that computes its digests. */
interface BlobPlaces {
  readonly health: StorageHealth
  readonly room: Room
  readonly blobs: BlobFolder
  readonly small: SmallBlobs
  readonly thread: BlobThread
  /** Folder of files being written. */
  readonly parts: string
}

/**
 * Bytes that arrive and become a blob: held in memory while they are few, in a part file from the
 * batch on that is too much. Disposing of it removes them, unless they were kept.
 */
class IncomingBlob implements AsyncDisposable {
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

  /** Prepares for `size` bytes, if the client announced them. */
  async expect(size: number): Promise<void> {
    const { room, blobs } = this.#places
    await room.require(size)
    if (size <= smallLimit) return
    await blobs.requireRoom(size)
    await this.#spill()
  }

  /** Takes the next bytes. @throws {DepositError} storage_full */
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
    await this.#places.blobs.requireRoom(part.size + bytesOf(batch))
    await measure.append(part, batch)
  }

  async #spill() {
    const { parts, health, thread, blobs } = this.#places
    await blobs.requireInPlace()
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

  /** Once the bytes are there, the rest of the digests is computed beside the syncs. */
  async #keepFile({ part, measure }: { part: PartFile; measure: Measure }): Promise<Blob> {
    const { health, blobs, small } = this.#places
    const steps = [
      health.changing(() => measure.finish(part.size)),
      part.seal(),
      blobs.prepare(this.#id),
    ] as const
    // Wait for all: a failed step discards the part, which no other may still use then.
    await Promise.allSettled(steps)
    const [digests] = await Promise.all(steps)
    if (small.has(this.#id)) throw new Error(`There is a blob ${this.#id} already`)
    await blobs.keep(part.path, this.#id)
    this.#isKept = true
    return toBlob(this.#id, part.size, digests)
  }
}
