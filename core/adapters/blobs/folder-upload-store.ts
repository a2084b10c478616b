import { chmod, lstat, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { problem } from '../../errors/errors.ts'
import { parseBlobId, type Blob, type BlobId } from '../../files/file.ts'
import type { AppendOptions, UploadProgress, UploadStore } from '../../ports/upload-store.ts'
import { ifThere, type BlobFolder, type DirectorySyncs } from './blob-folder.ts'
import type { BlobThread, Digests } from './blob-thread.ts'
import { bytesOf, Measure, toBlob, PartFile } from './part-file.ts'
import { receive } from './receive.ts'
import type { Room, StorageHealth } from '../storage-health.ts'

/** Shared by uploads and the blobs they become. */
export interface SharedStorage {
  readonly health: StorageHealth
  readonly syncs: DirectorySyncs
  readonly room: Room
  readonly blobs: BlobFolder
  readonly thread: BlobThread
}

/** Most uploads whose digests are kept between two appends; the others begin again. */
const measuredLimit = 64

/**
 * Uploads as files of a folder, each named by its id. A finished one is moved among the blobs, as
 * the file it is however small: one rename leaves no moment with two of them.
 */
export class FolderUploadStore implements UploadStore {
  readonly #folder: string
  readonly #shared: SharedStorage
  /** Digests of uploads under way, the one used last at the end. */
  readonly #measures = new Map<BlobId, Measure>()
  /** Sizes that this process has made durable; unknown after a crash until the next sync. */
  readonly #durable = new Map<BlobId, number>()

  constructor(folder: string, shared: SharedStorage) {
    this.#folder = folder
    this.#shared = shared
  }

  readonly find = async (id: BlobId): Promise<UploadProgress | undefined> => {
    const path = this.#pathOf(id)
    const stats = await ifThere(() => lstat(path))
    if (!stats) return this.#findMoved(id)
    if (this.#durable.get(id) !== stats.size) await this.#sync(id, path, stats.size)
    return { size: stats.size, touched: stats.mtime }
  }

  readonly append = async (
    id: BlobId,
    bytes: Readable,
    { offset, algorithms = [], requireTurn, ...options }: AppendOptions,
  ): Promise<number> => {
    const { health, room, blobs } = this.#shared
    health.requireSound()
    await blobs.requireInPlace()
    const part = await this.#open(id)
    try {
      if (part.size !== offset) throw problem('upload_conflict')
      const measure = this.#measureOf(id, algorithms)
      const take = async (batch: readonly Buffer[]): Promise<void> => {
        requireTurn?.()
        await room.take(bytesOf(batch))
        await measure.append(part, batch)
      }
      await receive(bytes, take, { ...options, isResumable: true })
    } finally {
      await part.rest()
      this.#durable.set(id, part.size)
    }
    return part.size
  }

  readonly finish = async (id: BlobId, algorithms: readonly string[]): Promise<Blob> => {
    const { blobs, health } = this.#shared
    health.requireSound()
    const moved = await blobs.size(id)
    try {
      if (moved !== undefined) {
        const digests = await this.#measure(id, blobs.pathOf(id), moved, algorithms)
        return toBlob(id, moved, digests)
      }
      const part = await this.#open(id)
      const digests = await this.#seal(id, part, algorithms)
      await blobs.keep(part.path, id)
      return toBlob(id, part.size, digests)
    } finally {
      this.#forget(id)
    }
  }

  readonly remove = async (id: BlobId): Promise<void> => {
    const { blobs, health } = this.#shared
    this.#forget(id)
    await health.changing(() => ifThere(() => unlink(this.#pathOf(id))))
    await blobs.remove(id)
  }

  readonly list = async (): Promise<readonly BlobId[]> => {
    const names = await readdir(this.#folder)
    return names.flatMap((name) => parseBlobId(name) ?? [])
  }

  #pathOf(id: BlobId): string {
    return join(this.#folder, id)
  }

  /** A finish that was not recorded has moved the bytes already. */
  async #findMoved(id: BlobId): Promise<UploadProgress | undefined> {
    const stats = await this.#shared.blobs.find(id)
    return stats && { size: stats.size, touched: stats.mtime }
  }

  async #open(id: BlobId): Promise<PartFile> {
    const { health, syncs } = this.#shared
    const path = this.#pathOf(id)
    // A finish that did not get to its end may have sealed the file.
    const writable = () => chmod(path, 0o600).then(() => true)
    const isThere = await ifThere(() => health.changing(writable))
    if (isThere) return PartFile.reopen(path, health)
    const part = await PartFile.create(path, health)
    await syncs.sync(this.#folder)
    return part
  }

  async #seal(id: BlobId, part: PartFile, algorithms: readonly string[]): Promise<Digests> {
    const steps = [
      this.#measure(id, part.path, part.size, algorithms),
      part.seal(),
      this.#shared.blobs.prepare(id),
    ] as const
    await Promise.allSettled(steps)
    const [digests] = await Promise.all(steps)
    return digests
  }

  async #measure(
    id: BlobId,
    path: string,
    size: number,
    algorithms: readonly string[],
  ): Promise<Digests> {
    using measure = this.#measures.get(id) ?? this.#newMeasure(path, algorithms)
    this.#measures.delete(id)
    return await this.#shared.health.changing(() => measure.finish(size))
  }

  /** The measure of an upload under way, which is the one used last from now on. */
  #measureOf(id: BlobId, algorithms: readonly string[]): Measure {
    const measure = this.#measures.get(id) ?? this.#newMeasure(this.#pathOf(id), algorithms)
    this.#measures.delete(id)
    this.#measures.set(id, measure)
    const [oldest] = this.#measures.keys()
    if (oldest !== undefined && this.#measures.size > measuredLimit) this.#drop(oldest)
    return measure
  }

  #newMeasure(path: string, algorithms: readonly string[]): Measure {
    return new Measure(path, ['sha256', ...algorithms], this.#shared.thread)
  }

  /** Bytes that a process wrote before it died are the system's, not yet the disk's. */
  async #sync(id: BlobId, path: string, size: number): Promise<void> {
    const { health } = this.#shared
    const handle = await health.changing(() => open(path, 'r'))
    try {
      await health.syncing(() => handle.sync())
    } finally {
      await handle.close()
    }
    this.#durable.set(id, size)
  }

  #forget(id: BlobId): void {
    this.#drop(id)
    this.#durable.delete(id)
  }

  #drop(id: BlobId): void {
    this.#measures.get(id)?.[Symbol.dispose]()
    this.#measures.delete(id)
  }
}
