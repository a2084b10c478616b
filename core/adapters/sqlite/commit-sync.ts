import type Sqlite from 'better-sqlite3'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StorageHealth } from '../storage-health.ts'
import { pathOf } from './connect.ts'

/**
 * Makes commits durable without the event loop waiting for the disk.
 *
 * SQLite itself would sync its write-ahead log inside `COMMIT`, and everybody would wait. Here the
 * connection commits with `synchronous=NORMAL`, which writes the log and leaves the sync to us; we
 * sync the same file on another thread, and nobody is answered before. What a power cut leaves of
 * a commit that was not synced is no valid end of the log: recovery drops it.
 *
 * @see https://www.sqlite.org/wal.html, "Performance Considerations"
 */
export class CommitSync implements AsyncDisposable {
  readonly #log: FileHandle
  readonly #health: StorageHealth

  private constructor(log: FileHandle, health: StorageHealth) {
    this.#log = log
    this.#health = health
  }

  /** Takes over the syncing of what `sqlite` commits from now on. */
  static async take(sqlite: Sqlite.Database, health: StorageHealth): Promise<CommitSync> {
    // The log is there as soon as something was read; its name must be durable before its content.
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get()
    const path = pathOf(sqlite)
    const log = await open(`${path}-wal`, 'r+')
    const folder = await open(dirname(path), 'r')
    try {
      await log.sync()
      await folder.sync()
    } finally {
      await folder.close()
    }
    sqlite.pragma('synchronous = NORMAL')
    return new CommitSync(log, health)
  }

  /**
   * Resolves when everything that was committed before the call is durable.
   *
   * @throws {DepositError} storage_failed: the sync failed; it is never tried again
   */
  run(): Promise<void> {
    return this.#health.syncing(() => this.#log.datasync())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log.close()
  }
}
