import { randomInt } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { on, once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
import type { Database, Readers, UnitOfWork } from '../../ports/database.ts'
import {
  commitChannel,
  DatabaseTooNew,
  type Commit,
  type RowFault,
  type Upkeep,
} from '../../ports/upkeep.ts'
import { pathOf, FileReader, versionInFile, versionOf, type Look } from '../sqlite/connect.ts'
import { FileSeal } from '../sqlite/file-seal.ts'
import { GroupCommit } from '../sqlite/group-commit.ts'
import type { RowsSeal } from '../../ports/rows-seal.ts'
import { StorageHealth } from '../storage-health.ts'
import { keptCounts, withKeptCounts } from './kept-counts.ts'
import { KnownRows } from './known-rows.ts'
import { runBy } from './prepared.ts'
import { createReaders, createWriters, type Writers } from './rows.ts'
import { upkeepReader } from './upkeep-rows.ts'
import type { UpkeepTask } from './upkeep-worker.ts'
import type Sqlite from 'better-sqlite3'
import {
  DummyDriver,
  Kysely,
  SqliteDialect,
  DefaultQueryExecutor,
  SqliteAdapter,
  SqliteQueryCompiler,
  type CompiledQuery,
  type QueryResult,
} from 'kysely'
import { openSqliteWriter } from '../sqlite/open-file.ts'
import type { Tables } from './schema/tables.ts'
import { existsSync } from 'node:fs'
import { keepCopy } from './copy-before-migration.ts'
import { migrations } from './schema/index.ts'
import { freshSqlite } from './schema/fresh-sqlite.ts'

const KiB = 1024

/** Publishes each commit, with or without a listener. */
const commits = channel(commitChannel)

/** Each unit is whole: they run one after another. */
const requireWhole = (): void => {}

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
  const fileSeal = new FileSeal(writer.sqlite)
  const reader = stack.use(openReader(path))
  const group = await GroupCommit.take({
    writer: writer.sqlite,
    reader,
    health,
    report,
    changing: () => fileSeal.break(),
    committed: (units) => commits.publish({ units } satisfies Commit),
  })
  return new SqliteDatabase({ writer, reader, group, fileSeal, report, health }, stack.move())
}

interface SqliteParts {
  readonly writer: SqliteConnection
  readonly reader: SqliteReader
  readonly group: GroupCommit
  readonly fileSeal: FileSeal
  readonly report: (error: unknown) => void
  readonly health: StorageHealth
}

/** SQLite with one connection that writes, in groups, and one that reads. */
class SqliteDatabase implements Database {
  readonly isShared = false
  readonly read: Readers
  readonly upkeep: Upkeep
  readonly seal: RowsSeal
  /** Made once: it takes as long as a unit of work does. */
  readonly #writers: Writers
  readonly #reader: SqliteReader
  readonly #group: GroupCommit
  readonly #report: (error: unknown) => void
  readonly #health: StorageHealth
  readonly #connections: Disposable
  readonly #fileSeal: FileSeal
  /** The mark that the file gets in the end; 0 where nobody asked for one. */
  #nextSeal = 0
  #isSealWithheld = false

  /** @param connections is disposed of with the database */
  constructor(
    { writer, reader, group, fileSeal, report, health }: SqliteParts,
    connections: Disposable,
  ) {
    this.#writers = createWriters(writer.db)
    this.#reader = reader
    this.#connections = connections
    this.#group = group
    this.#report = report
    this.#health = health
    this.#fileSeal = fileSeal
    this.seal = {
      found: fileSeal.found,
      next: () => (this.#nextSeal ||= randomInt(1, 2 ** 31)),
      withhold: () => {
        this.#isSealWithheld = true
      },
    }
    const rows = createReaders(reader.db, {
      deposits: new KnownRows(reader.view, { longest: 8 * KiB, total: 4096 * KiB }),
      records: new KnownRows(reader.view, { longest: 2048 * KiB, total: 4096 * KiB }),
    })
    this.read = withKeptCounts(rows, keptCounts(reader.db))
    this.upkeep = {
      ...upkeepReader(reader.db),
      ...upkeepThreads(pathOf(writer.sqlite)),
      forget: () => group.rewrite(),
    }
  }

  readonly isWritable = (): boolean => this.#health.state === 'sound'

  readonly isSilent = (): boolean => false

  /** The home is locked by one process: it always leads. */
  readonly lead = async (): Promise<AsyncDisposable> => new AsyncDisposableStack()

  readonly view = (): object => this.#reader.view()

  readonly write = <Result>(work: (unit: UnitOfWork) => Promise<Result>): Promise<Result> =>
    this.#group.run(async () => {
      const tasks: (() => Promise<void>)[] = []
      const afterCommit: UnitOfWork['afterCommit'] = (task) => tasks.push(task)
      const result = await work({ ...this.#writers, afterCommit, requireWhole })
      return async () => {
        for (const task of tasks) await task().catch(this.#report)
        return result
      }
    })

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#setSeal().catch(this.#report)
    await this.#group[Symbol.asyncDispose]()
    this.#connections[Symbol.dispose]()
  }

  async #setSeal(): Promise<void> {
    if (this.#nextSeal === 0 || this.#isSealWithheld || !this.isWritable()) return
    await this.#group.run(async () => {
      this.#fileSeal.set(this.#nextSeal)
      return () => {}
    })
  }
}

/** Long reading of the whole database at `path`: on threads of its own, beside the service. */
function upkeepThreads(path: string): Pick<Upkeep, 'inspect' | 'snapshot'> {
  return {
    inspect: async function* (depth) {
      const worker = startUpkeep({ path, inspect: depth })
      try {
        // The end closes the iteration after the messages before it; a failure throws.
        for await (const [fault] of on(worker, 'message', { close: ['exit'] })) {
          yield fault as RowFault
        }
      } finally {
        await worker.terminate()
      }
    },
    snapshot: async (target) => {
      await once(startUpkeep({ path, snapshot: target }), 'exit')
    },
  }
}

function startUpkeep(task: UpkeepTask): Worker {
  return startThread(import.meta.url, 'upkeep-worker', { name: 'upkeep', workerData: task })
}

/** One connection to the database file, and the query builder that speaks through it. */
interface SqliteConnection extends Disposable {
  readonly sqlite: Sqlite.Database
  readonly db: Kysely<Tables>
}

/**
 * Opens the one connection that writes.
 *
 * @throws {Error} a pragma did not take: the file system or the build cannot keep the promise
 */
export function openWriter(path: string): SqliteConnection {
  return connection(openSqliteWriter(path))
}

/** A connection that reads, and keeps its snapshot until `refresh`. */
interface SqliteReader extends SqliteConnection, Look {
  /** Identifies the snapshot that queries see; changes with each `hold` and `refresh`. */
  readonly view: () => object
}

/** Opens a connection for reading alone. */
export function openReader(path: string): SqliteReader {
  const { sqlite, beforeQuery, hold, refresh, view } = new FileReader(path)
  return { ...connection(sqlite, beforeQuery), hold, refresh, view }
}

function connection(sqlite: Sqlite.Database, beforeQuery?: () => void): SqliteConnection {
  const statements = new Map<string, Sqlite.Statement>()
  // A statement is asked for right before it is run.
  const prepare = (sql: string): Sqlite.Statement => {
    beforeQuery?.()
    const known = statements.get(sql)
    if (known) return known
    const statement = sqlite.prepare(sql)
    // Lists of ids make statements of every length: those would only fill the memory.
    if (statements.size < 500) statements.set(sql, statement)
    return statement
  }
  const dialect = new SqliteDialect({ database: sqlite })
  const executor = new SqliteExecutor(prepare)
  const db = new Kysely<Tables>({
    config: { dialect },
    dialect,
    driver: new DummyDriver(),
    executor,
  })
  runBy(db, executor)
  return { sqlite, db, [Symbol.dispose]: () => sqlite.close() }
}

/**
 * Runs compiled queries on the one connection there is, at once. The query builder's own way takes
 * a lock and a connection for each query and gives them back: on calls that never wait for anything
 * that is more work than most queries are.
 */
class SqliteExecutor extends DefaultQueryExecutor {
  readonly #prepare: (sql: string) => Sqlite.Statement

  constructor(prepare: (sql: string) => Sqlite.Statement) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), {
      provideConnection: async () => {
        throw new Error('transactions on SQLite are the business of SqliteDatabase')
      },
    })
    this.#prepare = prepare
  }

  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(query.sql)
    if (statement.reader) return { rows: statement.all(query.parameters) as Row[] }
    const { changes } = statement.run(query.parameters)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }
}

/**
 * Looks at the schema of the database file at `path` without touching it, and before anything is
 * written beside it. {@link migrateSqlite} looks again, at what its log has as well.
 *
 * @throws {DatabaseTooNew} a newer program has migrated it
 */
function requireKnownSchema(path: string): void {
  if (!existsSync(path)) return
  const found = versionInFile(path)
  if (found > migrations.length) throw new DatabaseTooNew(found, migrations.length)
}

/**
 * Brings the schema up to the version of this program, each migration in a transaction of its own
 * together with the number that says it was made. A database that has data is copied first; a new
 * one is made at once as all migrations would have left it.
 *
 * @throws {DatabaseTooNew} a newer program has migrated the database; nothing is touched
 */
export async function migrateSqlite({ sqlite, db }: SqliteConnection): Promise<void> {
  const found = versionOf(sqlite)
  if (found > migrations.length) throw new DatabaseTooNew(found, migrations.length)
  if (found > 0 && found < migrations.length) await keepCopy(sqlite, found, migrations.length)
  const reach = async (version: number, change: () => unknown): Promise<void> => {
    sqlite.exec('BEGIN IMMEDIATE')
    try {
      await change()
      new FileSeal(sqlite).break()
      sqlite.pragma(`user_version = ${version}`)
      sqlite.exec('COMMIT')
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
      throw error
    }
  }
  if (found === 0) return reach(migrations.length, () => sqlite.exec(freshSqlite))
  for (const [index, migrate] of migrations.entries()) {
    if (index >= found) await reach(index + 1, () => migrate(db.schema, 'sqlite', db))
  }
}
