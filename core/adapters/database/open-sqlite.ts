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
import { FileReader, type Look } from '../sqlite/connect.ts'
import { openSqliteWriter } from '../sqlite/open-file.ts'
import type { Tables } from './schema/tables.ts'

/** One connection to the database file, and the query builder that speaks through it. */
export interface SqliteConnection extends Disposable {
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

/** A connection that reads, and keeps what it sees until it is told to look again. */
export interface SqliteReader extends SqliteConnection, Look {
  /** What queries see: the same object until the next `hold` or `refresh`. */
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
