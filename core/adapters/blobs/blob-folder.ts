import { lstat, opendir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseBlobId, type BlobId } from '../../files/file.ts'
import type { StoredBlob, StrangeFile } from '../../ports/blob-store.ts'
import type { DirectorySyncs } from './directory-syncs.ts'
import type { StorageHealth } from '../storage-health.ts'
import { codeOf } from '../../base/errno.ts'

const shard = /^[0-9a-f]{2}$/

/** The folder of finished blobs: `blobs/ab/cd/abcd….`, spread so that no directory grows large. */
export class BlobFolder {
  readonly #path: string
  readonly #health: StorageHealth
  readonly #syncs: DirectorySyncs

  constructor(path: string, health: StorageHealth, syncs: DirectorySyncs) {
    this.#path = path
    this.#health = health
    this.#syncs = syncs
  }

  pathOf(id: BlobId): string {
    return join(this.#path, id.slice(0, 2), id.slice(2, 4), id)
  }

  /** Bytes; undefined where there is no blob. */
  async size(id: BlobId): Promise<number | undefined> {
    const stats = await ifThere(() => lstat(this.pathOf(id)))
    return stats?.isFile() ? stats.size : undefined
  }

  /** Makes the directories of a blob, durably. */
  async prepare(id: BlobId): Promise<void> {
    const directory = dirname(this.pathOf(id))
    await this.#syncs.make(dirname(directory))
    await this.#syncs.make(directory)
  }

  /** Moves the sealed file at `path` in under its final name, durably, or not at all. */
  async keep(path: string, id: BlobId): Promise<void> {
    const target = this.pathOf(id)
    if (await ifThere(() => lstat(target))) throw new Error(`There is a blob ${id} already`)
    await this.#health.changing(() => rename(path, target))
    try {
      await this.#syncs.sync(dirname(target))
    } catch (error) {
      // No row names the files that stay: they are collected as garbage.
      await unlink(target).catch(() => {})
      throw error
    }
  }

  async remove(id: BlobId): Promise<void> {
    await this.#health.changing(() => ifThere(() => unlink(this.pathOf(id))))
  }

  /** Moves a blob out of the way, to `target`; does nothing where there is none. */
  async moveOut(id: BlobId, target: string): Promise<void> {
    const path = this.pathOf(id)
    await this.#health.changing(() => ifThere(() => rename(path, target)))
    await this.#syncs.sync(dirname(target))
  }

  async *list(): AsyncIterable<StoredBlob | StrangeFile> {
    for await (const first of await opendir(this.#path)) {
      if (!first.isDirectory() || !shard.test(first.name)) yield { strange: this.#in(first.name) }
      else yield* this.#listShard(first.name)
    }
  }

  async *#listShard(first: string): AsyncIterable<StoredBlob | StrangeFile> {
    for await (const second of await opendir(this.#in(first))) {
      const name = join(first, second.name)
      if (!second.isDirectory() || !shard.test(second.name)) yield { strange: this.#in(name) }
      else yield* this.#listBlobs(name)
    }
  }

  async *#listBlobs(directory: string): AsyncIterable<StoredBlob | StrangeFile> {
    for await (const entry of await opendir(this.#in(directory))) {
      const path = this.#in(directory, entry.name)
      const id = parseBlobId(entry.name)
      if (!id || !entry.isFile() || this.pathOf(id) !== path) yield { strange: path }
      else {
        const stats = await ifThere(() => lstat(path))
        if (stats) yield { id, size: stats.size, modified: stats.mtime }
      }
    }
  }

  #in(...names: readonly string[]): string {
    return join(this.#path, ...names)
  }
}

/** The answer of `call`; undefined if there is no such file. */
export async function ifThere<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
