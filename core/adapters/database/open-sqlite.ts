import type Sqlite from 'better-sqlite3'
import { DummyDriver, Kysely, SqliteDialect } from 'kysely'
import { FileReader, type Look } from '../sqlite/file-reader.ts'
import { openSqliteWriter } from '../sqlite/open-file.ts'
import { SqliteExecutor } from './sqlite-executor.ts'
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
