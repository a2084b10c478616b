import { problem, type DepositError } from '../errors/errors.ts'
import type { BlobStoreHealth } from '../ports/blob-store.ts'
import { codeOf } from '../base/errno.ts'
import { statfs } from 'node:fs/promises'

const failing = new Set(['EIO', 'EROFS'])

/** Whether a call failed as it does on a disk that takes no more writes. */
export function isFailing(error: unknown): boolean {
  return failing.has(codeOf(error))
}

/** No room: on the disk, within a quota, within the largest file the process may write. */
export const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const exhausted = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])
const syncs = new Set(['fsync', 'fdatasync'])

/**
 * Names the failures of the file system a store writes to, and remembers the one after which it
 * takes no more writes. After a failed sync the kernel may have dropped the bytes and answers the
 * next sync with success: so none is ever tried again.
 */
export class StorageHealth {
  readonly #notice: (text: string) => void
  #failure: unknown

  /** @param notice told once, when it fails */
  constructor(notice: (text: string) => void = () => {}) {
    this.#notice = notice
  }

  get state(): BlobStoreHealth {
    return this.#failure === undefined ? 'sound' : 'degraded'
  }

  /** @throws {DepositError} storage_degraded: the storage failed before */
  requireSound(): void {
    if (this.#failure !== undefined) throw problem('storage_degraded', { cause: this.#failure })
  }

  /**
   * Runs a call that changes the file system, or reads back what was just written. A sync that fails
   * in it degrades the storage.
   *
   * @throws {DepositError} storage_full, storage_failed, overloaded: by the error of the call
   */
  async changing<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      const code = codeOf(error)
      if (isFailing(error) || isOfSync(error)) throw this.fail(error)
      if (full.has(code)) throw problem('storage_full', { cause: error })
      if (exhausted.has(code)) throw problem('overloaded', { cause: error })
      throw error
    }
  }

  /**
   * Runs a sync, or the closing of a written file; every failure degrades the storage.
   *
   * @throws {DepositError} storage_failed: it failed
   * @throws {DepositError} storage_degraded: the storage failed before
   */
  async syncing(call: () => Promise<void>): Promise<void> {
    this.requireSound()
    try {
      await call()
    } catch (error) {
      throw this.fail(error)
    }
  }

  /** Remembers that the storage failed: from now on it is read, not written. */
  fail(error: unknown): DepositError<'storage_failed'> {
    if (this.#failure === undefined) {
      this.#failure = error
      const reason = error instanceof Error ? error.message : String(error)
      this.#notice(`The store failed: ${reason}. Until a restart it can be read, not written.`)
    }
    return problem('storage_failed', { cause: error })
  }
}

function isOfSync(error: unknown): boolean {
  if (!(error instanceof Error) || !('syscall' in error)) return false
  return typeof error.syscall === 'string' && syncs.has(error.syscall)
}

const MiB = 1024 * 1024

/**
 * Bytes kept free, so that deletions can be recorded on a full disk: a hundredth of the disk within
 * these bounds. The database needs the same room on a small disk.
 */
const largestReserve = 64 * MiB
const smallestReserve = 8 * MiB
const reservedShare = 1 / 100

/** Share of a very small disk. */
const mostReserved = 1 / 8

/** A part of the answer of statfs(2). */
interface FileSystem {
  readonly blocks: number
  /** Blocks that are free for us. */
  readonly bavail: number
  /** Bytes of a block. */
  readonly bsize: number
}

/** Bytes in reserve, and bytes left without it: below 0 if the reserve is in use. */
interface DiskRoom {
  readonly reserve: number
  readonly left: number
}

/** @see statfs(2) */
export function diskRoom({ blocks, bavail, bsize }: FileSystem): DiskRoom {
  const size = blocks * bsize
  const wanted = Math.max(smallestReserve, size * reservedShare)
  const reserve = Math.min(largestReserve, wanted, size * mostReserved)
  // Some network file systems report no blocks; there only the write can fail.
  return { reserve, left: blocks === 0 ? Infinity : bavail * bsize - reserve }
}

/** Bytes left from which on room is saved rather than time. */
const shortRoom = 64 * 1024 * 1024

/** Bytes left that are as good as none: most files find no room. */
const hardlyAny = 1024 * 1024

/** For how long the answer of the system is trusted: others fill the disk too. */
const trustedMs = 250

/** Frees bytes that are kept only while there is room; false where there are none. */
export type Release = (bytes: number) => Promise<boolean>

/** Times that room is made for one request. */
const mostReleases = 4

/** Bytes left on a file system before its reserve. */
export class Room {
  readonly #path: string
  readonly #health: StorageHealth
  /** The most bytes that can be left: those taken since the system was asked are subtracted. */
  #left = 0
  #askedAt = -Infinity
  #reserve = 0
  readonly #release: Release
  #releasing: Promise<boolean> | undefined

  /** @param release makes room on a full disk */
  constructor(path: string, health: StorageHealth, release: Release = async () => false) {
    this.#path = path
    this.#health = health
    this.#release = release
  }

  /** @throws {DepositError} storage_full: less than the reserve would be left after `bytes` more */
  async require(bytes: number): Promise<void> {
    if (performance.now() - this.#askedAt > trustedMs || bytes > this.#left) await this.#ask()
    if (bytes > this.#left) await this.#makeRoom(() => bytes - this.#left)
    if (bytes > this.#left) throw problem('storage_full')
  }

  /**
   * Lets rows have a part of the reserve; the rest is for what makes room.
   *
   * @throws {DepositError} storage_full
   */
  async requireForRows(): Promise<void> {
    const isOld = performance.now() - this.#askedAt > trustedMs
    // Bytes of rows are not counted here, so near the reserve the system is asked each time.
    if (isOld || this.#left < this.#reserve) await this.#ask()
    if (this.#isRowsShareUsed) await this.#makeRoom(() => -this.#left)
    if (this.#isRowsShareUsed) throw problem('storage_full')
  }

  /** As {@link isShort}, asking the system where its last answer is old. */
  async askWhetherShort(): Promise<boolean> {
    if (performance.now() - this.#askedAt > trustedMs) await this.#ask()
    return this.isShort
  }

  /** Whether hardly more than the reserve is left, asking the system where its last answer is old. */
  async askWhetherUsedUp(): Promise<boolean> {
    if (performance.now() - this.#askedAt > trustedMs) await this.#ask()
    return this.#left < hardlyAny
  }

  /** As {@link require}, and counts `bytes` as taken. */
  async take(bytes: number): Promise<void> {
    await this.require(bytes)
    this.#left -= bytes
  }

  /** Whether, when the system was last asked, little was left: then nothing may lie there twice. */
  get isShort(): boolean {
    return this.#left < shortRoom
  }

  get #isRowsShareUsed(): boolean {
    return this.#left < -this.#reserve / 2
  }

  /** Those who wait share what is released; a few times, for removed bytes may be held for a while. */
  async #makeRoom(missing: () => number): Promise<void> {
    for (let tries = 0; tries < mostReleases && missing() > 0; tries += 1) {
      this.#releasing ??= this.#release(missing()).finally(() => {
        this.#releasing = undefined
      })
      if (!(await this.#releasing)) return
      await this.#ask()
    }
  }

  async #ask(): Promise<void> {
    const { reserve, left } = diskRoom(await this.#health.changing(() => statfs(this.#path)))
    this.#reserve = reserve
    this.#left = left
    this.#askedAt = performance.now()
  }
}
