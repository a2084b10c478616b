import { constants } from 'node:fs'
import { mkdir, open, lstat, opendir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StorageHealth } from '../storage-health.ts'
import { codeOf } from '../../base/errno.ts'
import { parseBlobId, type BlobId } from '../../files/file.ts'
import type { StoredBlob, StrangeFile } from '../../ports/blob-store.ts'

/** Makes names durable. Those who wait for the same directory share one sync. */
export class DirectorySyncs {
  readonly #health: StorageHealth
  /** Syncs that did not begin yet: they cover every name made until they do. */
  readonly #waiting = new Map<string, Promise<void>>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #making = new Map<string, Promise<void>>()
  readonly #durable = new Set<string>()

  constructor(health: StorageHealth) {
    this.#health = health
  }

  /** Answers once every name `directory` has now is durable. */
  sync(directory: string): Promise<void> {
    const waiting = this.#waiting.get(directory) ?? this.#syncNext(directory)
    this.#waiting.set(directory, waiting)
    return waiting
  }

  /**
   * Makes `directory`, whose parent exists, and its name durable. One that exists may have been
   * made by a process that died before its sync: so the first use in each process syncs as well.
   */
  async make(directory: string): Promise<void> {
    if (this.#durable.has(directory)) return
    const making = this.#making.get(directory) ?? this.#make(directory)
    this.#making.set(directory, making)
    await making
  }

  async #make(directory: string): Promise<void> {
    try {
      await this.#health.changing(() => makeDirectory(directory))
      await this.sync(dirname(directory))
      this.#durable.add(directory)
    } finally {
      this.#making.delete(directory)
    }
  }

  async #syncNext(directory: string): Promise<void> {
    // A sync that fails degrades the storage, which the next one then meets.
    await this.#running.get(directory)?.catch(() => {})
    this.#waiting.delete(directory)
    const running = this.#syncNow(directory)
    this.#running.set(directory, running)
    try {
      await running
    } finally {
      if (this.#running.get(directory) === running) this.#running.delete(directory)
    }
  }

  async #syncNow(directory: string): Promise<void> {
    const handle = await this.#health.changing(() => open(directory, constants.O_DIRECTORY))
    try {
      await this.#health.syncing(() => handle.sync())
    } finally {
      await handle.close()
    }
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

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
