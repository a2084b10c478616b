import { problem, type DepositError } from '../errors/errors.ts'
import type { BlobStoreHealth } from '../ports/blob-store.ts'
import { codeOf } from '../base/errno.ts'

const failing = new Set(['EIO', 'EROFS'])
/** No room: on the disk, within a quota, within the largest file the process may write. */
export const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const exhausted = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/**
 * Names the failures of the file system a store writes to, and remembers the one after which it
 * takes no more writes. After a failed sync the kernel may have dropped the bytes and answers the
 * next sync with success: so none is ever tried again.
 */
export class StorageHealth {
  #failure: unknown

  get state(): BlobStoreHealth {
    return this.#failure === undefined ? 'sound' : 'degraded'
  }

  /** @throws {DepositError} storage_degraded: the storage failed before */
  requireSound(): void {
    if (this.#failure !== undefined) throw problem('storage_degraded', { cause: this.#failure })
  }

  /**
   * Runs a call that changes the file system, or reads back what was just written.
   *
   * @throws {DepositError} storage_full, storage_failed, overloaded: what the error of the call means
   */
  async changing<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      const code = codeOf(error)
      if (failing.has(code)) throw this.fail(error)
      if (full.has(code)) throw problem('storage_full', { cause: error })
      if (exhausted.has(code)) throw problem('overloaded', { cause: error })
      throw error
    }
  }

  /**
   * Runs a sync, or the closing of a file that was written; whatever goes wrong, degrades.
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
    this.#failure ??= error
    return problem('storage_failed', { cause: error })
  }
}
