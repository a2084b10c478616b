import { channel } from 'node:diagnostics_channel'
import type { Deposit } from '../../deposit/deposit.ts'
import type { Database, DepositReader, Readers, UnitOfWork } from '../../ports/database.ts'
import { commitChannel, type Commit } from '../../ports/commit.ts'
import type { Upkeep } from '../../ports/upkeep.ts'
import type { Visibility } from '../../search/visibility.ts'
import { pathOf } from '../sqlite/connect.ts'
import { GroupCommit } from '../sqlite/group-commit.ts'
import { StorageHealth } from '../storage-health.ts'
import { KnownDeposits } from './known-deposits.ts'
import { migrateSqlite, requireKnownSchema } from './migrate-sqlite.ts'
import { openReader, openWriter, type SqliteConnection, type SqliteReader } from './open-sqlite.ts'
import { Remembered } from './remembered.ts'
import { createReaders, createWriters, type Writers } from './rows.ts'
import { upkeepReader } from './upkeep-rows.ts'
import { upkeepThreads } from './upkeep-thread.ts'
import { watchUnit } from './watch-unit.ts'

/** Told of each commit; nobody has to listen. */
const commits = channel(commitChannel)

/** Opens the database at `path`, which is made or migrated where it must be. */
export async function openSqliteDatabase(
  path: string,
  report: (error: unknown) => void,
  health: StorageHealth = new StorageHealth(),
): Promise<Database> {
  requireKnownSchema(path)
  using stack = new DisposableStack()
  const writer = stack.use(openWriter(path))
  await migrateSqlite(writer)
  const reader = stack.use(openReader(path))
  const group = await GroupCommit.take({
    writer: writer.sqlite,
    reader,
    health,
    report,
    committed: (units) => commits.publish({ units } satisfies Commit),
  })
  return new SqliteDatabase({ writer, reader, group, report, health }, stack.move())
}

interface SqliteParts {
  readonly writer: SqliteConnection
  readonly reader: SqliteReader
  readonly group: GroupCommit
  readonly report: (error: unknown) => void
  readonly health: StorageHealth
}

/** SQLite with one connection that writes, in groups, and one that reads. */
class SqliteDatabase implements Database {
  readonly isShared = false
  readonly read: Readers
  readonly upkeep: Upkeep
  /** Made once: it takes as long as a unit of work does. */
  readonly #writers: Writers
  readonly #reader: SqliteReader
  readonly #group: GroupCommit
  readonly #report: (error: unknown) => void
  readonly #health: StorageHealth
  readonly #connections: Disposable
  /** Nobody else writes to the file, and to count everything takes long: all else waits for it. */
  readonly #deposits: Remembered<Record<Deposit['status'], number>>
  readonly #records: Remembered<number>

  /** @param connections is disposed of with the database */
  constructor({ writer, reader, group, report, health }: SqliteParts, connections: Disposable) {
    this.#writers = createWriters(writer.db)
    this.#reader = reader
    this.#connections = connections
    this.#group = group
    this.#report = report
    this.#health = health
    const { deposits, records, ...read } = createReaders(reader.db, new KnownDeposits(reader.view))
    this.#deposits = new Remembered(() => deposits.countByStatus(everything))
    this.#records = new Remembered(() => records.count())
    this.read = {
      ...read,
      deposits: { ...deposits, countByStatus: this.#countByStatus(deposits) },
      records: { ...records, count: this.#records.get },
    }
    this.upkeep = { ...upkeepReader(reader.db), ...upkeepThreads(pathOf(writer.sqlite)) }
  }

  readonly isWritable = (): boolean => this.#health.state === 'sound'

  /** Whoever has the home has it alone. */
  readonly lead = async (): Promise<AsyncDisposable> => new AsyncDisposableStack()

  readonly view = (): object => this.#reader.view()

  readonly write = <Result>(work: (unit: UnitOfWork) => Promise<Result>): Promise<Result> =>
    this.#group.run(async () => {
      const tasks: (() => Promise<void>)[] = []
      const afterCommit: UnitOfWork['afterCommit'] = (task) => tasks.push(task)
      const { unit, changed } = watchUnit({ ...this.#writers, afterCommit })
      const result = await work(unit)
      return async () => {
        if (changed.deposits.size > 0) this.#deposits.changed()
        if (changed.records.size > 0) this.#records.changed()
        for (const task of tasks) await task().catch(this.#report)
        return result
      }
    })

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#group[Symbol.asyncDispose]()
    this.#connections[Symbol.dispose]()
  }

  #countByStatus({ countByStatus }: DepositReader): DepositReader['countByStatus'] {
    return (visibility) =>
      visibility.of === 'deposits' && visibility.only === undefined
        ? this.#deposits.get()
        : countByStatus(visibility)
  }
}

const everything: Visibility = { of: 'deposits' }
