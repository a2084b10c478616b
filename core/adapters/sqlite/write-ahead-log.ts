import Sqlite from 'better-sqlite3'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StorageHealth } from '../storage-health.ts'
import { pathOf } from './connect.ts'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
import type { CheckpointAnswer, CheckpointWork } from './checkpoint-worker.ts'

/**
 * Makes commits durable without the event loop waiting for the disk.
 *
 * SQLite itself would sync its write-ahead log inside `COMMIT`, and every request would wait. Here
 * the connection commits with `synchronous=NORMAL`, which writes the log and leaves the sync to us;
 * we sync the same file on another thread before any request is answered. After a power cut,
 * recovery drops a commit that was not synced: it is not a valid end of the log.
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

/** Units of work after which the log is carried over into the database file. */
const unitsBetween = 500

/** Attempts to empty the log while requests read. */
const mostTries = 100

/** Pages of the log from which on writers rest until it is carried over whole: 16 MiB. */
const longLog = 4096

/**
 * Carries the write-ahead log over into the database file, on a thread with a connection of its
 * own. It goes on beside reads and writes; only where the log has grown long, writers rest for one
 * round: the log starts over when a round meets no commit.
 */
export class Checkpoints implements AsyncDisposable {
  readonly #path: string
  readonly #report: (error: unknown) => void
  #worker: Worker | undefined
  #running: Promise<void> | undefined
  #units = 0
  #isLong = false

  constructor(path: string, report: (error: unknown) => void) {
    this.#path = path
    this.#report = report
  }

  /** Says how many units were just committed; answers at once. */
  committed(units: number): void {
    this.#units += units
    if (this.#units >= unitsBetween) void this.#run()
  }

  /** Whether the next group should {@link rest} before it commits. */
  get isLong(): boolean {
    return this.#isLong
  }

  /**
   * Waits where the log is long, so that a round can meet no commit: the next one starts it over.
   * Where a long read keeps it from that, the log is looked at again after as many units.
   */
  async rest(): Promise<void> {
    if (!this.#isLong) return
    await this.carryOver()
    this.#isLong = false
  }

  /** Checkpoints all that is committed now; the log restarts unless a reader still uses it. */
  async carryOver(): Promise<void> {
    await this.#running
    await this.#run()
  }

  /**
   * Makes the file afresh, then the log empty: nothing is left of rows that were deleted. No unit may
   * run meanwhile.
   *
   * @param release lets go of the snapshot that reads hold
   */
  async rewrite(release: () => void): Promise<void> {
    await this.#running
    await this.#ask('rewrite')
    for (let tries = 0; tries < mostTries; tries += 1) {
      release()
      if ((await this.#ask('empty')).pages === 0) return
    }
    throw new Error('The log of the database is in use: traces of deleted rows are left in it.')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running
    await this.#worker?.terminate()
  }

  #run(): Promise<void> {
    this.#units = 0
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #round(): Promise<void> {
    try {
      // What was committed meanwhile is not told: no round beside writers carries everything over.
      const { pages } = await this.#ask('checkpoint')
      this.#isLong = pages > longLog
    } catch (error) {
      if (!(error instanceof Sqlite.SqliteError)) this.#worker = undefined
      this.#report(error)
    }
  }

  async #ask(
    work: CheckpointWork,
  ): Promise<Exclude<CheckpointAnswer, { readonly failure: object }>> {
    this.#worker ??= start(this.#path)
    this.#worker.postMessage(work)
    const [answer] = (await once(this.#worker, 'message')) as [CheckpointAnswer]
    if ('failure' in answer) throw toError(answer.failure)
    return answer
  }
}

const toError = ({ message, code }: { readonly message: string; readonly code: string }) =>
  new Sqlite.SqliteError(message, code)

function start(path: string): Worker {
  const options = { name: 'checkpoint', workerData: path }
  const worker = startThread(import.meta.url, 'checkpoint-worker', options)
  worker.unref()
  return worker
}
