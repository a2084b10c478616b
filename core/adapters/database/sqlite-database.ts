import { channel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import { StorageDegraded, StorageFailed, StorageFull } from '../../errors.ts'
import type { Database, Readers, UnitOfWork } from '../../ports/database.ts'
import { commitChannel, type Commit } from '../../ports/commit.ts'
import type { Upkeep } from '../../ports/upkeep.ts'
import { Checkpoints } from './checkpoints.ts'
import { CommitSync } from './commit-sync.ts'
import { migrateSqlite, requireKnownSchema } from './migrate-sqlite.ts'
import { openReader, openWriter, type SqliteConnection, type SqliteReader } from './open-sqlite.ts'
import { createReaders, createWriters, type Writers } from './rows.ts'
import { StorageHealth } from '../storage-health.ts'
import { explainSqliteError } from './sqlite-errors.ts'
import { transactionSteps, type TransactionSteps } from './transaction-steps.ts'
import { upkeepReader } from './upkeep-rows.ts'
import { upkeepThreads } from './upkeep-thread.ts'

/** Told of each commit; nobody has to listen. */
const commits = channel(commitChannel)

/** Most units that share one transaction: a bound on how long the first of them waits. */
const groupLimit = 128

/** A unit of work that waits for its turn, and how its caller is answered. */
interface Waiting {
  readonly run: () => Promise<() => void>
  readonly fail: (error: unknown) => void
}

/** Opens the database at `path`, which is made or migrated where it must be. */
export async function openSqliteDatabase(
  path: string,
  report: (error: unknown) => void,
  health: StorageHealth = new StorageHealth(),
): Promise<Database> {
  requireKnownSchema(path)
  const writer = openWriter(path)
  try {
    await migrateSqlite(writer)
    const sync = await CommitSync.take(writer, health)
    return new SqliteDatabase({ writer, reader: openReader(path), sync, report, health })
  } catch (error) {
    writer[Symbol.dispose]()
    throw error
  }
}

interface SqliteParts {
  readonly writer: SqliteConnection
  readonly reader: SqliteReader
  readonly sync: CommitSync
  readonly report: (error: unknown) => void
  readonly health: StorageHealth
}

/**
 * SQLite with one writing and one reading connection.
 *
 * Units that wait together run one after another, each in a savepoint of one transaction. They
 * share its commit and the sync after it, and are answered when that is done.
 */
class SqliteDatabase implements Database {
  readonly isShared = false
  readonly read: Readers
  readonly upkeep: Upkeep
  readonly #writer: SqliteConnection
  /** Made once: it takes as long as a unit of work does. */
  readonly #writers: Writers
  readonly #reader: SqliteReader
  readonly #steps: TransactionSteps
  readonly #sync: CommitSync
  readonly #checkpoints: Checkpoints
  readonly #report: (error: unknown) => void
  readonly #waiting: Waiting[] = []
  #draining: Promise<void> | undefined
  readonly #health: StorageHealth

  constructor({ writer, reader, sync, report, health }: SqliteParts) {
    this.#writer = writer
    this.#writers = createWriters(writer.db)
    this.#reader = reader
    this.#steps = transactionSteps(writer)
    this.#sync = sync
    this.#checkpoints = new Checkpoints(writer.sqlite.name, (error) => report(this.#explain(error)))
    this.#report = report
    this.#health = health
    this.read = createReaders(reader.db)
    this.upkeep = { ...upkeepReader(reader.db), ...upkeepThreads(writer.sqlite.name) }
  }

  readonly isWritable = (): boolean => this.#health.state === 'sound'

  /** Whoever has the home has it alone. */
  readonly lead = async (): Promise<AsyncDisposable> => new AsyncDisposableStack()

  readonly view = (): object => this.#reader.view()

  readonly write = <Result>(work: (unit: UnitOfWork) => Promise<Result>): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ run: () => this.#prepare(work, resolve), fail: reject })
      this.#draining ??= this.#drain()
    })

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#draining
    await this.#checkpoints[Symbol.asyncDispose]()
    await this.#sync[Symbol.asyncDispose]()
    this.#reader[Symbol.dispose]()
    this.#writer[Symbol.dispose]()
  }

  /** Runs `work` inside the open savepoint; answers what to do once it is durable. */
  async #prepare<Result>(
    work: (unit: UnitOfWork) => Promise<Result>,
    resolve: (result: Result) => void,
  ): Promise<() => void> {
    const tasks: (() => Promise<void>)[] = []
    const afterCommit: UnitOfWork['afterCommit'] = (task) => tasks.push(task)
    const result = await work({ ...this.#writers, afterCommit })
    return () => void this.#finish(tasks).then(() => resolve(result))
  }

  async #finish(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    for (const task of tasks) await task().catch(this.#report)
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests that arrived in the same turn of the event loop join the group.
      await setImmediate()
      await this.#checkpoints.rest()
      await this.#commitGroup(this.#waiting.splice(0, groupLimit))
    }
    this.#draining = undefined
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      this.#health.requireSound()
      const answers = await this.#runWhereThereIsRoom(group)
      commits.publish({ units: group.length } satisfies Commit)
      for (const answer of answers) answer()
    } catch (error) {
      const failure = this.#explain(error)
      // What failed may be one unit's fault: alone, each meets its own luck.
      const retry = group.length > 1 && this.isWritable()
      for (const waiting of group) {
        if (retry) await this.#commitGroup([waiting])
        else waiting.fail(failure)
      }
    }
  }

  /** On a full disk the group is run once more, in the room that the log has when it starts over. */
  async #runWhereThereIsRoom(group: readonly Waiting[]): Promise<readonly (() => void)[]> {
    try {
      return await this.#runGroup(group)
    } catch (error) {
      const failure = this.#explain(error)
      if (!(failure instanceof StorageFull)) throw failure
      // The log does not start over while a reader looks at it: before the pages are carried over,
      // and at those that were read meanwhile.
      this.#reader.refresh()
      await this.#checkpoints.carryOver()
      this.#reader.refresh()
    }
    return this.#runGroup(group)
  }

  /** What a failure of the transaction means; one of the storage ends all writing. */
  #explain(error: unknown): unknown {
    const explained = explainSqliteError(error, this.#writer.sqlite.name)
    return explained instanceof StorageFailed ? this.#health.fail(error) : explained
  }

  /** One transaction for the group: throws where it failed as a whole, with nothing kept. */
  async #runGroup(group: readonly Waiting[]): Promise<readonly (() => void)[]> {
    const answers: (() => void)[] = []
    this.#steps.begin()
    try {
      for (const waiting of group) answers.push(await this.#runInSavepoint(waiting))
      this.#reader.hold()
      this.#steps.commit()
      await this.#sync.run()
      this.#reader.refresh()
      this.#checkpoints.committed(group.length)
      return answers
    } catch (error) {
      if (this.#writer.sqlite.inTransaction) this.#steps.rollback()
      // After a failed sync readers keep to what is durable.
      if (this.isWritable()) this.#reader.refresh()
      throw error
    }
  }

  /** A unit that throws is undone and answered with its error; the others of its group go on. */
  async #runInSavepoint(waiting: Waiting): Promise<() => void> {
    this.#steps.beginUnit()
    try {
      const answer = await waiting.run()
      this.#steps.keepUnit()
      return answer
    } catch (error) {
      const explained = explainSqliteError(error, this.#writer.sqlite.name)
      const { inTransaction } = this.#writer.sqlite
      // SQLite has rolled everything back itself, or cannot be trusted to go on, or lacks room.
      if (!inTransaction || endsGroup(explained)) throw error
      this.#steps.undoUnit()
      this.#steps.keepUnit()
      return () => waiting.fail(explained)
    }
  }
}

const endsGroup = (error: unknown): boolean =>
  error instanceof StorageDegraded || error instanceof StorageFull
