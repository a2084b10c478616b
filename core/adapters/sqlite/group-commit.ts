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

/** A unit has failed after it wrote: the group needs savepoints to undo it alone. */
class NeedsSavepoints extends Error {}

/** Groups that run their units in savepoints once one of them had to be undone. */
const carefulGroups = 64

/**
 * Commits to a database file. Units that wait together run one after another in one transaction. They
 * share its commit and the sync after it, and are answered when that is done. The units of the next
 * group run meanwhile, in a transaction that is not committed before.
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
  /** The end of the sync of what was committed last; never rejects. */
  #syncing: Promise<void> | undefined
  /** Called when a unit arrives. */
  #wake: (() => void) | undefined
  /** Groups left whose units run in savepoints, which cost more than the statements of many units. */
  #careful = 0

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
   * Runs `work` inside the transaction of a group; resolves to its result once that is durable. It
   * may be run again, after everything that it wrote was undone.
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
      this.#wake?.()
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
      this.#wake?.()
      this.#draining ??= this.#drain()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#draining
    await this.#syncing
    await this.#checkpoints[Symbol.asyncDispose]()
    await this.#sync[Symbol.asyncDispose]()
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length + this.#between.length > 0) {
      if (this.#between.length > 0 || this.#checkpoints.isLong) await this.#syncing
      await this.#between.shift()?.()
      // Requests that arrived in the same turn of the event loop join the group.
      await setImmediate()
      await this.#checkpoints.rest()
      await this.#commitGroup(this.#waiting.splice(0, groupLimit))
    }
    this.#draining = undefined
  }

  /** Commits a group; its units are answered later, once that is durable. */
  async #commitGroup(group: Waiting[]): Promise<void> {
    const { health } = this.#parts
    try {
      health.requireSound()
      this.#makeDurable(group, await this.#runWhereThereIsRoom(group))
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

  /** Syncs what was just committed, then answers. A sync is never tried again, nor are its units. */
  #makeDurable(group: readonly Waiting[], answers: readonly (() => void)[]): void {
    const { reader, committed } = this.#parts
    const sync = async (): Promise<void> => {
      try {
        await this.#sync.run()
        reader.refresh()
      } catch (error) {
        // Readers keep to what is durable.
        const failure = this.#explain(error)
        for (const { fail } of group) fail(failure)
        return
      } finally {
        this.#syncing = undefined
      }
      this.#checkpoints.committed(group.length)
      committed?.(group.length)
      for (const answer of answers) answer()
    }
    this.#syncing = sync()
  }

  /** On a full disk the group is run once more, in the room that the log has when it starts over. */
  async #runWhereThereIsRoom(group: Waiting[]): Promise<readonly (() => void)[]> {
    const { reader, health } = this.#parts
    try {
      return await this.#runUndoing(group)
    } catch (error) {
      const failure = this.#explain(error)
      if (!isProblem(failure, 'storage_full')) throw failure
      await this.#syncing
      health.requireSound()
      // The log cannot restart while a reader holds a snapshot of it: neither one from before the
      // checkpoint, nor one taken during it.
      reader.refresh()
      await this.#checkpoints.carryOver()
      reader.refresh()
    }
    return this.#runUndoing(group)
  }

  /** Explains a failure of the transaction; a failure of the storage ends all writing. */
  #explain(error: unknown): unknown {
    const explained = explainSqliteError(error, pathOf(this.#parts.writer))
    return isProblem(explained, 'storage_failed') ? this.#parts.health.fail(error) : explained
  }

  /** Runs the group, and again in savepoints where a unit must be undone alone. */
  async #runUndoing(group: Waiting[]): Promise<readonly (() => void)[]> {
    try {
      return await this.#runGroup(group)
    } catch (error) {
      if (!(error instanceof NeedsSavepoints)) throw error
      this.#careful = carefulGroups
      return this.#runGroup(group)
    }
  }

  /** One transaction for the group: throws where it failed as a whole, with nothing kept. */
  async #runGroup(group: Waiting[]): Promise<readonly (() => void)[]> {
    const { writer, reader, health, changing } = this.#parts
    const isCareful = this.#careful > 0
    if (isCareful) this.#careful -= 1
    const answers: (() => void)[] = []
    let isHeld = false
    this.#steps.begin()
    try {
      changing?.()
      // The group may grow meanwhile.
      for (const waiting of group) {
        answers.push(await this.#runUnit(waiting, isCareful))
        if (answers.length === group.length) await this.#join(group)
      }
      await this.#syncing
      health.requireSound()
      reader.hold()
      isHeld = true
      this.#steps.commit()
      return answers
    } catch (error) {
      if (writer.inTransaction) this.#steps.rollback()
      if (isHeld) reader.refresh()
      throw error
    }
  }

  /** Lets units that arrive during the sync of the group before join this one. */
  async #join(group: Waiting[]): Promise<void> {
    while (this.#syncing && this.#waiting.length === 0 && this.#between.length === 0) {
      const arrival = new Promise<void>((resolve) => (this.#wake = resolve))
      await Promise.race([this.#syncing, arrival])
      this.#wake = undefined
      await setImmediate()
    }
    if (this.#syncing) group.push(...this.#waiting.splice(0, groupLimit - group.length))
  }

  /** A unit that throws is undone and answered with its error; the others of its group go on. */
  async #runUnit(waiting: Waiting, isCareful: boolean): Promise<() => void> {
    const { writer } = this.#parts
    const before = this.#steps.changes()
    if (isCareful) this.#steps.beginUnit()
    try {
      const answer = await waiting.run()
      if (isCareful) this.#steps.keepUnit()
      return answer
    } catch (error) {
      const explained = explainSqliteError(error, pathOf(writer))
      // SQLite has rolled everything back itself, or cannot be trusted to go on, or lacks room.
      if (!writer.inTransaction || endsGroup(explained)) throw error
      if (isCareful) {
        this.#steps.undoUnit()
        this.#steps.keepUnit()
      } else if (this.#steps.changes() !== before) throw new NeedsSavepoints()
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
  /** Rows that were changed since the connection was opened. */
  readonly changes: () => unknown
}

function transactionSteps(sqlite: Sqlite.Database): TransactionSteps {
  const step = (sql: string) => {
    const statement = sqlite.prepare(sql)
    return (): void => void statement.run()
  }
  const changes = sqlite.prepare('SELECT total_changes()').pluck()
  return {
    changes: () => changes.get(),
    begin: step('BEGIN IMMEDIATE'),
    commit: step('COMMIT'),
    rollback: step('ROLLBACK'),
    beginUnit: step('SAVEPOINT unit'),
    keepUnit: step('RELEASE unit'),
    undoUnit: step('ROLLBACK TO unit'),
  }
}
