import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { FileTooLarge } from '../../errors.ts'
import type { Blob, BlobId } from '../../files/file.ts'
import type {
  BlobStore,
  BlobStoreHealth,
  ByteRange,
  StoredBlob,
  StrangeFile,
  WriteOptions,
} from '../../ports/blob-store.ts'
import type { UploadStore } from '../../ports/upload-store.ts'
import { BlobFolder } from './blob-folder.ts'
import { openBlob } from './blob-reader.ts'
import { DigestThread, type Digests } from './digest-thread.ts'
import { FolderUploadStore } from './folder-upload-store.ts'
import { DirectorySyncs } from './directory-syncs.ts'
import { copyOut } from './copy-out.ts'
import { HeldRemovals } from './held-removals.ts'
import { Measure } from './measure.ts'
import { PartFile } from './part-file.ts'
import { readWhole } from './read-whole.ts'
import { receive } from './receive.ts'
import { Room } from './room.ts'
import { StorageHealth } from '../storage-health.ts'

/**
 * Opens the store in the folder `root`, which is made where it is missing: `blobs/` has what is
 * kept, `tmp/` what is being written, `uploads/` what arrives in pieces, `quarantine/` what was set
 * aside. Whatever a process that
 * died left in `tmp/` is removed: so one process at a time, which the caller sees to.
 */
export async function openFolderBlobStore(
  root: string,
  health: StorageHealth = new StorageHealth(),
): Promise<BlobStore> {
  const path = resolve(root)
  const syncs = new DirectorySyncs(health)
  await mkdir(path, { recursive: true, mode: 0o700 })
  await syncs.make(path)
  for (const name of ['blobs', 'tmp', 'uploads', 'quarantine'])
    await makeFolder(join(path, name), syncs)
  await clear(join(path, 'tmp'))
  return new FolderBlobStore(path, health, syncs)
}

class FolderBlobStore implements BlobStore {
  readonly uploads: UploadStore
  readonly #root: string
  readonly #health: StorageHealth
  readonly #blobs: BlobFolder
  readonly #room: Room
  readonly #removals: HeldRemovals
  readonly #thread = new DigestThread()

  constructor(root: string, health: StorageHealth, syncs: DirectorySyncs) {
    this.#root = root
    this.#health = health
    this.#blobs = new BlobFolder(join(root, 'blobs'), health, syncs)
    this.#room = new Room(root, health)
    this.#removals = new HeldRemovals((id) => this.#blobs.remove(id))
    const shared = { health, syncs, room: this.#room, blobs: this.#blobs, thread: this.#thread }
    this.uploads = new FolderUploadStore(join(root, 'uploads'), shared)
  }

  get health(): BlobStoreHealth {
    return this.#health.state
  }

  readonly requireRoom = (bytes: number): Promise<void> => this.#room.require(bytes)

  readonly requireRoomForRows = (): Promise<void> => this.#room.requireForRows()

  readonly write = async (id: BlobId, bytes: Readable, options: WriteOptions): Promise<Blob> => {
    this.#health.requireSound()
    const { expectedSize = 0, limit } = options
    if (expectedSize > limit) throw new FileTooLarge(limit)
    await this.#room.require(expectedSize)
    const part = await PartFile.create(join(this.#root, 'tmp', `${id}.part`), this.#health)
    try {
      const { sha256 = '', ...digests } = await this.#fill(part, id, bytes, options)
      await this.#blobs.keep(part.path, id)
      return { id, size: part.size, sha256, digests }
    } catch (error) {
      await part.discard()
      throw error
    }
  }

  readonly read = (id: BlobId, range?: ByteRange): Promise<Readable> =>
    openBlob(this.#blobs.pathOf(id), range)

  readonly readWhole = (blob: Blob): Promise<Readable> =>
    readWhole(blob, this.#blobs.pathOf(blob.id), this.#thread)

  readonly copyOut = (id: BlobId, path: string, share: boolean): Promise<void> =>
    copyOut(this.#blobs.pathOf(id), path, share)

  readonly holdRemovals = (): AsyncDisposable => this.#removals.hold()

  readonly remove = (id: BlobId): Promise<void> => this.#removals.remove(id)

  readonly size = (id: BlobId): Promise<number | undefined> => this.#blobs.size(id)

  readonly list = (): AsyncIterable<StoredBlob | StrangeFile> => this.#blobs.list()

  /** The time tells apart what was set aside, restored, and set aside again. */
  readonly quarantine = (id: BlobId): Promise<void> =>
    this.#blobs.moveOut(id, join(this.#root, 'quarantine', `${id}.${Date.now()}`))

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }

  /** Once the bytes are there, what is left of the digests goes on beside the syncs. */
  async #fill(
    part: PartFile,
    id: BlobId,
    bytes: Readable,
    { algorithms = [], ...options }: WriteOptions,
  ): Promise<Digests> {
    using measure = new Measure(part.path, ['sha256', ...algorithms], this.#thread)
    await receive(bytes, { part, room: this.#room, measure }, options)
    const steps = [
      this.#health.changing(() => measure.finish(part.size)),
      part.seal(),
      this.#blobs.prepare(id),
    ] as const
    // None may still use the part when a failure of another discards it.
    await Promise.allSettled(steps)
    const [digests] = await Promise.all(steps)
    return digests
  }
}

/** A link in its place would lead the bytes elsewhere. */
async function makeFolder(path: string, syncs: DirectorySyncs): Promise<void> {
  await syncs.make(path)
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a directory`)
}

async function clear(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    await rm(join(directory, name), { recursive: true, force: true })
  }
}
