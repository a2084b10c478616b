import { constants, type Stats } from 'node:fs'
import { access, copyFile, mkdir, open, lstat, opendir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { problem } from '../../errors/errors.ts'
import { Reachability } from '../reachability.ts'
import { isFailing, type Room, type StorageHealth } from '../storage-health.ts'
import { codeOf } from '../../base/errno.ts'
import { lostAndFound, syncFolder } from '../../base/durable-files.ts'
import { fileIdentity } from '../../base/file-identity.ts'
import { folderMark, idsOf, isAtLeast, readFolderMark } from './folder-mark.ts'
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

  /** Makes directories again that may have been made in another folder. */
  forget(): void {
    this.#durable.clear()
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

/**
 * Moves a sealed file. To another file system, where `blobs/` may be, it is copied first, beside its
 * name there.
 */
async function moveFile(path: string, target: string): Promise<void> {
  try {
    await rename(path, target)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    await copyOver(path, target)
    try {
      await unlink(path)
    } catch (failure) {
      // On a disk that takes no more writes it stays where it is.
      await unlink(target).catch(() => {})
      throw failure
    }
  }
}

async function copyOver(path: string, target: string): Promise<void> {
  const beside = `${target}.part`
  try {
    await copyFile(path, beside)
    await using copy = await open(beside)
    await copy.sync()
    await rename(beside, target)
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw error
  }
}

const shard = /^[0-9a-f]{2}$/

/** A folder that a restore prepares bytes in; one that is killed at its very end leaves it, empty. */
export const unfinishedRestore = 'restore.incomplete'

const besideBlobs: readonly string[] = [lostAndFound, unfinishedRestore]

/** Whether a name at the root of the blobs is of no blob, and none of a stranger. */
export function isBesideBlobs(name: string): boolean {
  // A crash may leave a draft of the mark.
  return besideBlobs.includes(name) || name.startsWith(folderMark)
}

/** The path of a blob in a folder of blobs. */
export function pathOfBlob(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id.slice(2, 4), id)
}

/** Dependencies of the folder of blobs. */
interface FolderParts {
  readonly health: StorageHealth
  readonly syncs: DirectorySyncs
  /** Of its own disk; undefined where it is on that of the home. */
  readonly room?: Room | undefined
  /** Told when the folder goes away and when it is back; without it nobody watches over the folder. */
  readonly notice?: ((text: string) => void) | undefined
}

/**
 * The folder of finished blobs: `blobs/ab/cd/abcd….`, spread so that no directory grows large. While
 * the disk that it is on is not mounted, another folder may be in its place: none of our files is
 * found there, and one that is kept there is lost from sight later.
 */
export class BlobFolder implements Disposable {
  readonly #path: string
  readonly #health: StorageHealth
  readonly #syncs: DirectorySyncs
  readonly #room: Room | undefined
  readonly #isWatched: boolean
  readonly #identity: string | undefined
  readonly #reachability: Reachability
  /** The latest id that its mark was seen with: that of the program that runs, once it has begun. */
  #id: string | undefined
  #hasOtherMark = false

  private constructor(path: string, identity: string | undefined, parts: FolderParts) {
    this.#path = path
    this.#identity = identity
    this.#health = parts.health
    this.#syncs = parts.syncs
    this.#room = parts.room
    this.#isWatched = parts.notice !== undefined
    const told = { name: `The folder ${path}`, notice: parts.notice ?? (() => {}) }
    this.#reachability = new Reachability(() => this.#look(), told)
  }

  /** The folder at `path`, which is there. */
  static async at(path: string, parts: FolderParts): Promise<BlobFolder> {
    const folder = new BlobFolder(path, await fileIdentity(path), parts)
    folder.#id = idsOf(await readFolderMark(path)).at(-1)
    return folder
  }

  /** False from the moment it was noticed that the folder is another one, until it is back. */
  get isInPlace(): boolean {
    return this.#reachability.isReachable
  }

  /** @throws {DepositError} storage_unavailable: another folder is in its place, or none */
  async requireInPlace(): Promise<void> {
    if (this.#hasOtherMark) await this.#readMark()
    if (!this.#hasOtherMark && (await fileIdentity(this.#path)) === this.#identity) return
    this.#syncs.forget()
    const cause = new Error('another folder is in its place, or none; is its disk mounted?')
    const away = problem('storage_unavailable', { store: 'files', cause })
    this.#reachability.heard(away)
    throw away
  }

  /** @throws {DepositError} storage_unavailable */
  async #look(): Promise<void> {
    if (this.#isWatched) await this.#readMark()
    await this.requireInPlace()
    if (this.#isWatched && this.#health.state === 'sound') await this.#lookWhetherWritable()
  }

  /**
   * Finds another disk that was mounted since: it may have the number of the one of before, and its root
   * that of the other root.
   */
  async #readMark(): Promise<void> {
    const ids = idsOf(await readFolderMark(this.#path))
    const own = this.#id
    this.#hasOtherMark = own !== undefined && !ids.some((id) => isAtLeast(id, own))
    if (!this.#hasOtherMark) this.#id = ids.at(-1)
  }

  /**
   * Finds, before an upload does, that the file system has become read-only, as after an error of its
   * disk. By the kind of the error Linux tells it in access(2), or only in a sync.
   */
  async #lookWhetherWritable(): Promise<void> {
    try {
      await access(this.#path, constants.W_OK)
      // Changes of rows meet the errors of the disk of the home.
      if (this.#room) await syncFolder(this.#path)
    } catch (error) {
      if (!isFailing(error)) return
      const reason = error instanceof Error ? error.message : codeOf(error)
      this.#health.fail(new Error(`${this.#path}: ${reason}`, { cause: error }))
    }
  }

  /**
   * Runs a call that looks for a file: one that fails in another folder says nothing of the file.
   *
   * @throws {DepositError} storage_unavailable
   */
  async looking<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      await this.requireInPlace()
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#reachability[Symbol.dispose]()
  }

  /** @throws {DepositError} storage_full: less than the reserve would be left on its own disk */
  async requireRoom(bytes: number): Promise<void> {
    await this.looking(async () => this.#room?.require(bytes))
  }

  /** Whether little is left on its own disk. */
  async isShort(): Promise<boolean> {
    return this.looking(async () => this.#room !== undefined && this.#room.askWhetherShort())
  }

  /** The folder, where hardly more than the reserve is left on its own disk. */
  async usedUp(): Promise<readonly string[]> {
    // One that is away is a fault of another kind.
    const isUsedUp = await this.#room?.askWhetherUsedUp().catch(() => false)
    return isUsedUp && this.isInPlace ? [this.#path] : []
  }

  pathOf(id: BlobId): string {
    return pathOfBlob(this.#path, id)
  }

  /** Bytes; undefined where there is no blob. */
  async size(id: BlobId): Promise<number | undefined> {
    const stats = await this.find(id)
    return stats?.isFile() ? stats.size : undefined
  }

  /** Undefined where there is nothing under the name of the blob. */
  find(id: BlobId): Promise<Stats | undefined> {
    return ifThere(() => this.looking(() => lstat(this.pathOf(id))))
  }

  /** Makes the directories of a blob, durably. */
  async prepare(id: BlobId): Promise<void> {
    await this.requireInPlace()
    const directory = dirname(this.pathOf(id))
    await this.#syncs.make(dirname(directory))
    await this.#syncs.make(directory)
  }

  /** Moves the sealed file at `path` in under its final name, durably, or not at all. */
  async keep(path: string, id: BlobId): Promise<void> {
    const target = this.pathOf(id)
    if (await this.find(id)) throw new Error(`There is a blob ${id} already`)
    const { size } = await lstat(path)
    await this.looking(async () => this.#room?.take(size))
    await this.looking(() => this.#health.changing(() => moveFile(path, target)))
    try {
      await this.requireInPlace()
    } catch (error) {
      // The bytes of an upload were acknowledged: they stay where they were.
      await moveFile(target, path).catch(() => {})
      throw error
    }
    try {
      await this.looking(() => this.#syncs.sync(dirname(target)))
    } catch (error) {
      // No row names the files that stay: they are collected as garbage.
      await unlink(target).catch(() => {})
      throw error
    }
  }

  async remove(id: BlobId): Promise<void> {
    const removing = () => this.#health.changing(() => unlink(this.pathOf(id)))
    await ifThere(() => this.looking(removing))
  }

  /** Moves a blob out of the way, to `target`; does nothing where there is none. */
  async moveOut(id: BlobId, target: string): Promise<void> {
    const moving = () => this.#health.changing(() => moveFile(this.pathOf(id), target))
    await ifThere(() => this.looking(moving))
    await this.#syncs.sync(dirname(target))
  }

  async *list(): AsyncIterable<StoredBlob | StrangeFile> {
    await this.requireInPlace()
    for await (const first of await opendir(this.#path)) {
      if (isBesideBlobs(first.name)) continue
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
