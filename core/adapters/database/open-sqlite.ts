import Sqlite from 'better-sqlite3'
import { DummyDriver, Kysely, SqliteDialect } from 'kysely'
import { SqliteExecutor } from './sqlite-executor.ts'
import type { Tables } from './tables.ts'

/** One connection to the database file, and the query builder that speaks through it. */
export interface SqliteConnection extends Disposable {
  readonly sqlite: Sqlite.Database
  readonly db: Kysely<Tables>
}

/**
 * What the writing connection is set to. better-sqlite3 is built with `synchronous=NORMAL` for WAL,
 * which by itself loses acknowledged writes in a power cut; so every value is read back. It stays
 * at FULL until `commit-sync.ts` has taken the syncing over.
 */
const pragmas = {
  journal_mode: 'wal',
  synchronous: 2 /* FULL */,
  foreign_keys: 1,
  busy_timeout: 5000,
  trusted_schema: 0,
  cell_size_check: 1,
  mmap_size: 0,
  // What a unit undoes is kept in a file of its own otherwise, outside of the home.
  temp_store: 2 /* MEMORY */,
  wal_autocheckpoint: 0 /* checkpoints.ts */,
  journal_size_limit: 64 * 1024 * 1024,
} as const

/**
 * Opens the one connection that writes.
 *
 * @throws {Error} a pragma did not take: the file system or the build cannot keep the promise
 */
export function openWriter(path: string): SqliteConnection {
  const sqlite = new Sqlite(path)
  for (const [name, value] of Object.entries(pragmas)) {
    sqlite.pragma(`${name} = ${value}`)
    const actual: unknown = sqlite.pragma(name, { simple: true })
    // Memory-mapped I/O may be compiled out; then there is nothing to read back.
    if (actual === value || (name === 'mmap_size' && actual === undefined)) continue
    sqlite.close()
    throw new Error(`SQLite cannot be used here: ${name} is ${String(actual)}, not ${value}`)
  }
  if (process.platform === 'darwin') {
    sqlite.pragma('fullfsync = 1')
    sqlite.pragma('checkpoint_fullfsync = 1')
  }
  return connection(sqlite)
}

/** A connection that reads, and keeps what it sees until it is told to look again. */
export interface SqliteReader extends SqliteConnection {
  /** Keeps to what is committed now, whatever is committed next, until `refresh`. */
  readonly hold: () => void
  /** Lets the next query see what was committed meanwhile. */
  readonly refresh: () => void
  /** What queries see: the same object until the next `hold` or `refresh`. */
  readonly view: () => object
}

/**
 * Opens a connection for reading alone: it never waits for the writer, nor the writer for it.
 *
 * Its queries share one read transaction, which is begun by the first of them and ended by
 * `refresh`: locking the log for each query alone takes longer than most queries do. Whoever
 * commits calls `hold` first and `refresh` when the commit is durable: so nobody reads what a
 * power cut could still take back, and an old look never keeps the log from starting over.
 */
export function openReader(path: string): SqliteReader {
  const sqlite = new Sqlite(path, { readonly: true })
  sqlite.pragma('query_only = 1')
  sqlite.pragma('trusted_schema = 0')
  const begin = sqlite.prepare('BEGIN')
  const end = sqlite.prepare('COMMIT')
  let isLooking = false
  let view = {}
  const beforeQuery = (): void => {
    if (isLooking) return
    begin.run()
    isLooking = true
  }
  const refresh = (): void => {
    view = {}
    if (!isLooking) return
    end.run()
    isLooking = false
  }
  const look = sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1')
  const hold = (): void => {
    refresh()
    beforeQuery()
    look.get()
  }
  return { ...connection(sqlite, beforeQuery), hold, refresh, view: () => view }
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
