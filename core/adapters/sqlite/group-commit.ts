import type Sqlite from 'better-sqlite3'
import { setImmediate } from 'node:timers/promises'
import { isProblem } from '../../errors/errors.ts'
import type { StorageHealth } from '../storage-health.ts'
import { Checkpoints, CommitSync } from './write-ahead-log.ts'
import { pathOf, type Look } from './connect.ts'
import { explainSqliteError } from './sqlite-errors.ts'

/** Most units that share one transaction: a bound on how long the first of them waits. */
const groupLimit = 128

/** A unit of work that waits for its turn, and how its caller is answered. */
interface Waiting {
  readonly run: () => Promise<() => void>
  readonly fail: (error: unknown) => void
}

export interface GroupParts {
  /** The only connection that writes; closed by its opener. */
  readonly writer: Sqlite.Database
  /** The one that reads, and must see nothing that is not durable. */
  readonly reader: Look
  readonly health: StorageHealth
  /** Told of failures that no caller waits for. */
  readonly report: (error: unknown) => void
  /** Called at the beginning of each transaction. */
  readonly changing?: () => void
  /** Told how many units were committed together, once they are durable. */
  readonly committed?: (units: number) => void
}

/**
 * Commits to a database file. Units that wait together run one after another, each in a savepoint
 * of one transaction. They share its commit and the sync after it, and are answered when that is
 * done.
 */
export class GroupCommit implements AsyncDisposable {
  readonly #parts: GroupParts
  readonly #steps: TransactionSteps
  readonly #sync: CommitSync
  readonly #checkpoints: Checkpoints
  readonly #waiting: Waiting[] = []
  /** Work that is done while no unit runs. */
  readonly #between: (() => Promise<void>)[] = []
  #draining: Promise<void> | undefined

  private constructor(parts: GroupParts, sync: CommitSync) {
    this.#parts = parts
    this.#steps = transactionSteps(parts.writer)
    this.#sync = sync
    const { writer, report } = parts
    this.#checkpoints = new Checkpoints(pathOf(writer), (error) => report(this.#explain(error)))
  }

  /** Takes over everything that is committed through the writer from now on. */
  static async take(parts: GroupParts): Promise<GroupCommit> {
    return new GroupCommit(parts, await CommitSync.take(parts.writer, parts.health))
  }

  /**
   * Runs `work` inside the transaction of a group; resolves to its result once that is durable.
   *
   * @throws {DepositError} storage_full, storage_failed, storage_degraded: no change was kept
   */
  run<Result>(work: () => Promise<() => Result | Promise<Result>>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const run = async (): Promise<() => void> => {
        const finish = await work()
        return () => void Promise.try(finish).then(resolve, reject)
      }
      this.#waiting.push({ run, fail: reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Carries what is committed over into the file, where it then lies once, and not where it was. */
  carryOver(): Promise<void> {
    return this.#checkpoints.carryOver()
  }

  /** Overwrites what deleted rows have left in the file and its log; units wait for it. */
  rewrite(): Promise<void> {
    const work = async (): Promise<void> => {
      const { reader } = this.#parts
      reader.refresh()
      await this.#checkpoints.rewrite(reader.refresh)
      await this.#sync.run()
      reader.refresh()
    }
    return new Promise<void>((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject))
      this.#draining ??= this.#drain()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#draining
    await this.#checkpoints[Symbol.asyncDispose]()
    await this.#sync[Symbol.asyncDispose]()
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length + this.#between.length > 0) {
      await this.#between.shift()?.()
      // Requests that arrived in the same turn of the event loop join the group.
      await setImmediate()
      await this.#checkpoints.rest()
      await this.#commitGroup(this.#waiting.splice(0, groupLimit))
    }
    this.#draining = undefined
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    const { health, committed } = this.#parts
    try {
      health.requireSound()
      const answers = await this.#runWhereThereIsRoom(group)
      committed?.(group.length)
      for (const answer of answers) answer()
    } catch (error) {
      const failure = this.#explain(error)
      // One unit may have failed the group: retry each alone.
      const retry = group.length > 1 && health.state === 'sound'
      for (const waiting of group) {
        if (retry) await this.#commitGroup([waiting])
        else waiting.fail(failure)
      }
    }
  }

  /** On a full disk the group is run once more, in the room that the log has when it starts over. */
  async #runWhereThereIsRoom(group: readonly Waiting[]): Promise<readonly (() => void)[]> {
    const { reader } = this.#parts
    try {
      return await this.#runGroup(group)
    } catch (error) {
      const failure = this.#explain(error)
      if (!isProblem(failure, 'storage_full')) throw failure
      // The log cannot restart while a reader holds a snapshot of it: neither one from before the
      // checkpoint, nor one taken during it.
      reader.refresh()
      await this.#checkpoints.carryOver()
      reader.refresh()
    }
    return this.#runGroup(group)
  }

  /** Explains a failure of the transaction; a failure of the storage ends all writing. */
  #explain(error: unknown): unknown {
    const explained = explainSqliteError(error, pathOf(this.#parts.writer))
    return isProblem(explained, 'storage_failed') ? this.#parts.health.fail(error) : explained
  }

  /** One transaction for the group: throws where it failed as a whole, with nothing kept. */
  async #runGroup(group: readonly Waiting[]): Promise<readonly (() => void)[]> {
    const { writer, reader, health, changing } = this.#parts
    const answers: (() => void)[] = []
    this.#steps.begin()
    try {
      changing?.()
      for (const waiting of group) answers.push(await this.#runInSavepoint(waiting))
      reader.hold()
      this.#steps.commit()
      await this.#sync.run()
      reader.refresh()
      this.#checkpoints.committed(group.length)
      return answers
    } catch (error) {
      if (writer.inTransaction) this.#steps.rollback()
      // After a failed sync readers keep to what is durable.
      if (health.state === 'sound') reader.refresh()
      throw error
    }
  }

  /** A unit that throws is undone and answered with its error; the others of its group go on. */
  async #runInSavepoint(waiting: Waiting): Promise<() => void> {
    const { writer } = this.#parts
    this.#steps.beginUnit()
    try {
      const answer = await waiting.run()
      this.#steps.keepUnit()
      return answer
    } catch (error) {
      const explained = explainSqliteError(error, pathOf(writer))
      // SQLite has rolled everything back itself, or cannot be trusted to go on, or lacks room.
      if (!writer.inTransaction || endsGroup(explained)) throw error
      this.#steps.undoUnit()
      this.#steps.keepUnit()
      return () => waiting.fail(explained)
    }
  }
}

const endsGroup = (error: unknown): boolean =>
  isProblem(error, 'storage_degraded', 'storage_failed', 'storage_full')

/** The statements around units of work, prepared once. */
interface TransactionSteps {
  readonly begin: () => void
  readonly commit: () => void
  readonly rollback: () => void
  /** Begins a unit within the transaction, which can be rolled back alone. */
  readonly beginUnit: () => void
  readonly keepUnit: () => void
  /** Undoes the unit, which still has to be ended by {@link keepUnit}. */
  readonly undoUnit: () => void
}

function transactionSteps(sqlite: Sqlite.Database): TransactionSteps {
  const step = (sql: string) => {
    const statement = sqlite.prepare(sql)
    return (): void => void statement.run()
  }
  return {
    begin: step('BEGIN IMMEDIATE'),
    commit: step('COMMIT'),
    rollback: step('ROLLBACK'),
    beginUnit: step('SAVEPOINT unit'),
    keepUnit: step('RELEASE unit'),
    undoUnit: step('ROLLBACK TO unit'),
  }
}
