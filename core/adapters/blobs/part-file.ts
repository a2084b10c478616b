import { constants } from 'node:fs'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import type { StorageHealth } from '../storage-health.ts'
import { hash } from 'node:crypto'
import type { Blob, BlobId } from '../../files/file.ts'
import type { BlobThread, Digests, Following } from './blob-thread.ts'

/** Bytes after which the disk begins with what has come: little is left for the sync at the end. */
const flushSize = 32 * 1024 * 1024

/** A file that grows until it is sealed; it becomes a blob when it gets a blob's name. */
export class PartFile {
  readonly path: string
  readonly #health: StorageHealth
  readonly #handle: FileHandle
  #size: number
  #flushedSize: number
  /** Fails where the disk did. */
  #flushed = Promise.resolve()
  #isFlushing = false
  /** While another thread has the descriptor, it must not become another file's. */
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(path: string, handle: FileHandle, health: StorageHealth, size = 0) {
    this.path = path
    this.#handle = handle
    this.#size = size
    this.#flushedSize = size
    this.#health = health
  }

  /** Fails where `path` exists, be it a link. */
  static async create(path: string, health: StorageHealth): Promise<PartFile> {
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    const handle = await health.changing(() => open(path, flags, 0o600))
    return new PartFile(path, handle, health)
  }

  /** Opens a part that an earlier request, or an earlier process, has begun. */
  static async reopen(path: string, health: StorageHealth): Promise<PartFile> {
    const flags = constants.O_WRONLY | constants.O_NOFOLLOW
    const handle = await health.changing(() => open(path, flags))
    const { size } = await handle.stat()
    return new PartFile(path, handle, health, size)
  }

  /** Bytes. */
  get size(): number {
    return this.#size
  }

  /** Appends `size` bytes that `write` writes, all of them, at a position of an open file. */
  async extend(
    size: number,
    write: (descriptor: number, position: number) => Promise<unknown>,
  ): Promise<void> {
    const writing = this.#health.changing(() => write(this.#handle.fd, this.#size))
    this.#writing = writing.catch(() => {})
    await writing
    this.#size += size
    this.#flush()
  }

  /** Writes `batch` at the end, all of it: the system may take a part of it only. */
  async append(batch: readonly Buffer[]): Promise<void> {
    for (let left = batch; left.length > 0;) {
      const buffers = left
      const { bytesWritten } = await this.#health.changing(() =>
        this.#handle.writev(buffers, this.#size),
      )
      this.#size += bytesWritten
      left = skip(left, bytesWritten)
    }
  }

  /** Makes the bytes durable, and gives the file back for another time. */
  async rest(): Promise<void> {
    try {
      await this.#sync()
    } finally {
      await this.#close()
    }
  }

  /** Makes the bytes durable and read-only; the name is not durable yet. */
  async seal(): Promise<void> {
    await this.#health.changing(() => this.#handle.chmod(0o400))
    await this.#sync()
    await this.#health.syncing(() => this.#close())
  }

  /** Removes the file. If that fails it stays in `tmp/`, which the next start clears. */
  async discard(): Promise<void> {
    await Promise.allSettled([this.#close(), unlink(this.path)])
  }

  async #close(): Promise<void> {
    await this.#writing
    await this.#handle.close()
  }

  async #sync(): Promise<void> {
    await this.#flushed
    await this.#health.syncing(() => this.#handle.sync())
  }

  /** Only the sync waits for it, and reports its failure. */
  #flush(): void {
    if (this.#isFlushing || this.#size - this.#flushedSize < flushSize) return
    this.#isFlushing = true
    this.#flushedSize = this.#size
    this.#flushed = this.#health.syncing(() => this.#handle.datasync())
    this.#flushed.then(
      () => (this.#isFlushing = false),
      () => {},
    )
  }
}

function skip(buffers: readonly Buffer[], bytes: number): readonly Buffer[] {
  let left = bytes
  let index = 0
  for (const { length } of buffers) {
    if (length > left) break
    left -= length
    index += 1
  }
  const [first, ...rest] = buffers.slice(index)
  return first ? [first.subarray(left), ...rest] : []
}

/** Digests of a part that is being written: of one batch at once, of more on a thread. */
export class Measure implements Disposable {
  readonly #path: string
  readonly #algorithms: readonly string[]
  readonly #thread: BlobThread
  #only: readonly Buffer[] | undefined = undefined
  #following: Following | undefined
  #isDropped = false

  /** @param path of the file; bytes it has before the first batch are measured too */
  constructor(path: string, algorithms: readonly string[], thread: BlobThread) {
    this.#path = path
    this.#algorithms = algorithms
    this.#thread = thread
  }

  /** Appends `batch`, whose memory may be taken, to the file, which is `part`, and measures it. */
  async append(part: PartFile, batch: readonly Buffer[]): Promise<void> {
    // The last batch of an upload that failed may be stored after the failure.
    if (this.#isDropped) return part.append(batch)
    if (part.size === 0) {
      await part.append(batch)
      this.#only = batch
      return
    }
    const following = this.#follow(part.size)
    try {
      await part.extend(bytesOf(batch), (descriptor, position) =>
        following.write(descriptor, position, batch),
      )
    } catch (error) {
      // The next attempt at this file starts with a living thread.
      this.#following = undefined
      following.drop()
      throw error
    }
  }

  /** @param size bytes of the file, all told */
  async finish(size: number): Promise<Digests> {
    const isFollowed = this.#following !== undefined || bytesOf(this.#only ?? []) !== size
    if (isFollowed) return this.#follow(size).finish(size)
    return digestsOf(this.#only ?? [], this.#algorithms)
  }

  [Symbol.dispose](): void {
    this.#isDropped = true
    this.#following?.drop()
  }

  /** @param size bytes that the file has by now */
  #follow(size: number): Following {
    if (this.#following) return this.#following
    this.#only = undefined
    this.#following = this.#thread.follow(this.#path, this.#algorithms)
    this.#following.grow(size)
    return this.#following
  }
}

/** Digests of few bytes, at once. */
export function digestsOf(batch: readonly Buffer[], algorithms: readonly string[]): Digests {
  const bytes = Buffer.concat(batch)
  return Object.fromEntries(algorithms.map((name) => [name, hash(name, bytes, 'hex')]))
}

export function toBlob(id: BlobId, size: number, { sha256 = '', ...digests }: Digests): Blob {
  return { id, size, sha256, digests }
}

export function bytesOf(batch: readonly Buffer[]): number {
  return batch.reduce((sum, { length }) => sum + length, 0)
}
