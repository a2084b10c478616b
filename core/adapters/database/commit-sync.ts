import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageDegraded } from '../../errors.ts'
import type { SqliteConnection } from './open-sqlite.ts'

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

  private constructor(log: FileHandle) {
    this.#log = log
  }

  /** Takes over the syncing of what `connection` commits from now on. */
  static async take({ sqlite }: SqliteConnection): Promise<CommitSync> {
    // The log is there as soon as something was read; its name must be durable before its content.
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get()
    const log = await open(`${sqlite.name}-wal`, 'r+')
    const folder = await open(dirname(sqlite.name), 'r')
    try {
      await log.sync()
      await folder.sync()
    } finally {
      await folder.close()
    }
    sqlite.pragma('synchronous = NORMAL')
    return new CommitSync(log)
  }

  /**
   * Resolves when everything that was committed before the call is durable.
   *
   * @throws {StorageDegraded} the sync failed; it must not be tried again, for the system may have
   *   dropped what it could not write
   */
  async run(): Promise<void> {
    try {
      await this.#log.datasync()
    } catch (error) {
      throw new StorageDegraded({ cause: error })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log.close()
  }
}
