import { channel } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import { isProblem, problem } from '../../errors/errors.ts'
import { commitChannel, type Commit, type Upkeep } from '../../ports/upkeep.ts'
import type { Database, Readers, UnitOfWork, UnitOptions } from '../../ports/database.ts'
import { wasCommitted } from '../database/commit-outcome.ts'
import { inspectPostgres } from './inspect-postgres.ts'
import { leadWork } from './postgres-leadership.ts'
import { PostgresLocks } from './postgres-locks.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { openPostgres } from '../database/open-postgres.ts'
import { isConflict, isTaken } from '../database/postgres-errors.ts'
import { Reachability } from '../reachability.ts'
import { createReaders } from '../database/rows.ts'
import { prepareCounts, KeptCounts } from '../search/postgres/kept-counts.ts'
import type { Tables } from '../database/schema/tables.ts'
import { upkeepReader } from '../database/upkeep-rows.ts'
import { withKeptCounts } from '../database/kept-counts.ts'
import { project, WordStore, type Outside } from '../search/postgres/projection.ts'
import { RowThread } from '../search/postgres/row-thread.ts'
import { watchUnit } from '../database/watch-unit.ts'
import type { Level } from './unit-connection.ts'
import { UnitConnections } from './unit-connections.ts'

const commits = channel(commitChannel)

/** Connections of one daemon: for units of work, for readers, for what takes long, and for words. */
const connections = { writing: 12, reading: 6, patient: 4, words: 1 } as const
/** Attempts of a unit before the service answers that it is busy. */
const mostAttempts = 40
/** Longest wait before a unit is run again, for each time it was. Milliseconds. */
const backOff = 5

type Work<Result> = (unit: UnitOfWork) => Promise<Result>

/** The answer of a unit, and the tasks that run once it is durable. */
interface Committed<Result> {
  readonly result: Result
  readonly tasks: readonly (() => Promise<void>)[]
}

/**
 * Opens the database at `url` (`postgres://…`), whose schema is made or migrated where it must be.
 *
 * @param report called with failures that no caller waits for
 * @param notice told when the server goes away and when it is back
 * @throws {DepositError} storage_unavailable: it cannot be reached
 * @throws {DatabaseTooNew}
 */
export async function openPostgresDatabase(
  url: string,
  report: (error: unknown) => void,
  notice: (text: string) => void = () => {},
): Promise<Database> {
  const patient = openPostgres(url, { connections: connections.patient, isPatient: true })
  try {
    await migratePostgres(patient)
    await prepareCounts(patient)
    return new PostgresDatabase(url, patient, { report, notice })
  } catch (error) {
    await patient.destroy()
    throw error
  }
}

/** Those who are told of failures, and of what an operator should know. */
interface Hearers {
  readonly report: (error: unknown) => void
  readonly notice: (text: string) => void
}

/** Ends a local unit that has to decide upon more than it has locked. */
class NotLocal extends Error {
  constructor() {
    super('the unit is run again as a whole one')
  }
}

/**
 * PostgreSQL, which other daemons may use at the same time.
 *
 * A unit is one serializable transaction: it meets either all of another's changes or none, as if
 * they had run one after another. Where that cannot be, the server refuses one of them, and it is
 * run again: sometimes because of rows that only share a page with its own.
 *
 * A local unit (`UnitOptions.isLocal`), such as that of a new deposit or a file, is `read committed`
 * and waits for others instead. The rules that it decides upon hold for these reasons:
 *
 * - State, revision, people and owner of the deposit, its files, their names, number and order: it
 *   locks the row of the deposit before it reads any of them. Each unit that changes them changes
 *   that row as well, so a serializable one that began before is refused and run again.
 * - Bytes of the owner: at its end it adds to the row of `usage`, which it holds from then on, and
 *   demands that the sum with all announced uploads and metadata is still within the room it has
 *   found. Units that announce an upload change that row too (`UsageWriter.hold`).
 * - Metadata of a user: their sums are in several rows, so that changes of one user do not wait for
 *   each other, and a serializable unit reads them outside of its transaction, as others have
 *   committed them. Where the quota is near, any unit that adds metadata locks the row of `usage`
 *   before it reads them (`UsageWriter.lock`): what others were about to add is among them then, and
 *   so is what the unit has added itself.
 * - Names that must be unique: the server refuses the second, and the unit is run again.
 * - Answers that are kept under a key: the second finds that there is one, and is run again.
 * - What it publishes: a first version is of no record but its own, and is named by no other. Uploads
 *   and announced files, which would prevent it, are begun by units that lock the row of the deposit.
 * - What gives way where room is short, and all that is of several deposits: it is run as a
 *   serializable one (`UnitOfWork.requireWhole`).
 */
class PostgresDatabase implements Database {
  readonly isShared = true
  readonly read: Readers
  readonly upkeep: Upkeep
  readonly locks: PostgresLocks
  readonly #units: UnitConnections
  readonly #reader: Kysely<Tables>
  readonly #patient: Kysely<Tables>
  readonly #words: Kysely<Tables>
  readonly #reachability: Reachability
  /** It was when it answered last. */
  #isStandby = false
  readonly #outside: Outside
  readonly #counts: KeptCounts
  readonly #report: (error: unknown) => void
  /** Units that are run again, one at a time: so they do not meet each other once more. */
  #again: Promise<unknown> = Promise.resolve()

  constructor(url: string, patient: Kysely<Tables>, { report, notice }: Hearers) {
    this.#reachability = new Reachability(() => this.#requireWritable(), {
      name: 'PostgreSQL',
      notice,
    })
    const onFailure = this.#reachability.heard
    this.locks = new PostgresLocks(url)
    this.#units = new UnitConnections(url, { connections: connections.writing, onFailure })
    this.#reader = openPostgres(url, {
      connections: connections.reading,
      isGathering: true,
      isPipelined: true,
      onFailure,
    })
    this.#patient = patient
    // The log is written in its order: a unit is durable only after the words it was told to store.
    this.#words = openPostgres(url, { connections: connections.words, isHasty: true, onFailure })
    this.#outside = { words: new WordStore(this.#words), rows: new RowThread() }
    this.#counts = new KeptCounts({ db: this.#reader, patient, report })
    this.#report = report
    this.read = withKeptCounts(createReaders(this.#reader), {
      byStatus: async () => {
        const counts = await this.#counts.of('deposits')
        return counts && { draft: counts['draft'] ?? 0, published: counts['published'] ?? 0 }
      },
      records: async ({ isNewest = false }) => {
        const counts = await this.#counts.of('records')
        if (!counts) return undefined
        const { published = 0, superseded = 0 } = counts
        return isNewest ? published : published + superseded
      },
    })
    this.upkeep = {
      ...upkeepReader(this.#reader),
      inspect: () => inspectPostgres(this.#patient),
      // The server does so by itself, when it vacuums.
      forget: async () => {},
      snapshot: async () => {
        throw new Error('The rows are in PostgreSQL: pg_dump makes a copy of them.')
      },
    }
  }

  readonly isWritable = (): boolean => this.#reachability.isReachable

  readonly isSilent = (): boolean => this.#reachability.isSilent && !this.#isStandby

  readonly lead = (work: string): Promise<AsyncDisposable | undefined> =>
    leadWork(this.#patient, work)

  readonly view = (): undefined => undefined

  readonly write = async <Result>(
    work: Work<Result>,
    { isLocal = false }: UnitOptions = {},
  ): Promise<Result> => {
    const { result, tasks } = await (isLocal ? this.#runLocal(work) : this.#run(work))
    commits.publish({ units: 1 } satisfies Commit)
    this.#counts.written()
    for (const task of tasks) await task().catch(this.#report)
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reachability[Symbol.dispose]()
    await this.#counts[Symbol.asyncDispose]()
    await this.#outside.rows[Symbol.asyncDispose]()
    await this.locks[Symbol.asyncDispose]()
    await this.#units[Symbol.asyncDispose]()
    await Promise.all([this.#reader, this.#patient, this.#words].map((db) => db.destroy()))
  }

  /** Runs a unit with locks on what it decides upon; as a whole one where they are not enough. */
  async #runLocal<Result>(work: Work<Result>): Promise<Committed<Result>> {
    try {
      return await this.#attempt(work, 'read committed')
    } catch (error) {
      if (!(error instanceof NotLocal) && !isConflict(error)) throw error
      return this.#run(work)
    }
  }

  async #run<Result>(work: Work<Result>): Promise<Committed<Result>> {
    try {
      return await this.#attempt(work)
    } catch (error) {
      if (!isConflict(error)) throw error
    }
    const turn = this.#again.then(() => this.#insist(work))
    this.#again = turn.catch(() => undefined)
    return turn
  }

  /** Runs a unit that met a conflict until it meets none. */
  async #insist<Result>(work: Work<Result>): Promise<Committed<Result>> {
    let previous: unknown
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      try {
        return await this.#attempt(work)
      } catch (error) {
        // Alone, a unit that finds a row taken has seen it: that is its answer.
        if (!isConflict(error) || isTaken(error)) throw error
        previous = error
        await setTimeout(Math.random() * attempt * backOff)
      }
    }
    throw problem('overloaded', { cause: previous })
  }

  /** Runs a unit, once more where its connection broke off: the pool may hold dead ones. */
  async #attempt<Result>(
    work: Work<Result>,
    level: Level = 'serializable',
  ): Promise<Committed<Result>> {
    try {
      return await this.#runOnce(work, level)
    } catch (error) {
      const isAway = isProblem(error, 'storage_unavailable')
      if (!isAway || error.details.isOutcomeUnknown === true) throw error
      return this.#runOnce(work, level)
    }
  }

  async #runOnce<Result>(work: Work<Result>, level: Level): Promise<Committed<Result>> {
    const connection = await this.#units.begin(level)
    const tasks: (() => Promise<void>)[] = []
    try {
      const afterCommit: UnitOfWork['afterCommit'] = (task) => tasks.push(task)
      const { db, writers } = connection
      // Read in a serializable transaction, the sum would let changes of one user undo each other.
      const locked = new Set<UserId>()
      const isOutside = (owner: UserId): boolean => level === 'serializable' && !locked.has(owner)
      const usage: UnitOfWork['usage'] = {
        ...writers.usage,
        metadata: (owner) => (isOutside(owner) ? this.read.usage : writers.usage).metadata(owner),
        holding: async (owner) => {
          // Together with others who ask: what the unit decides upon it, it demands at its end.
          const isFirst = level !== 'serializable' && !connection.hasChanged
          if (isFirst && !locked.has(owner)) return this.read.usage.holding(owner)
          if (!isOutside(owner)) return writers.usage.holding(owner)
          const [stored, metadata, account] = await Promise.all([
            writers.usage.of(owner),
            this.read.usage.metadata(owner),
            writers.accounts.find(owner),
          ])
          return { stored, metadata, ...(account && { account }) }
        },
        hold: async (owner, most) =>
          level === 'serializable'
            ? connection.touchUsage(owner)
            : connection.holdRoom(owner, most),
        lock: async (owner) => {
          await connection.lockUsage(owner)
          locked.add(owner)
          return true
        },
      }
      const requireWhole = (): void => {
        if (level !== 'serializable') throw new NotLocal()
      }
      const { unit, changed } = watchUnit({ ...writers, usage, afterCommit, requireWhole })
      const result = await work(unit)
      await project(db, unit, changed, this.#outside)
      const unanswered = await connection.commit()
      if (unanswered && !(await wasCommitted(this.#reader, unanswered.name))) throw unanswered.error
      return { result, tasks }
    } finally {
      await this.#units.end(connection)
    }
  }

  /** @throws {DepositError} storage_unavailable: the server is away, or is a standby */
  async #requireWritable(): Promise<void> {
    const { rows } = await sql<{
      readonly standby: boolean
    }>`select pg_is_in_recovery() as standby`.execute(this.#reader)
    this.#isStandby = rows[0]?.standby !== false
    if (this.#isStandby) throw problem('storage_unavailable')
  }
}
