import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Enables URIs, by which a connection chooses its locking. SQLite reads this when the process opens
// its first connection; without it the URI below would be taken for a file name.
process.env['SQLITE_USE_URI'] = '1'

/**
 * Opens a connection to the database file at `path`, which this process has for itself as long as
 * one that can write is open: others are told that it is busy.
 *
 * The index of the log is then in memory, not in a mapped file (`-shm`). Writing to a mapped file
 * may allocate disk space, as on a file system that copies on write (btrfs). On a full disk that is
 * not an error of a call: SIGBUS ends the process.
 *
 * @see https://www.sqlite.org/vfs.html, "unix-excl"
 */
export function connect(path: string, options?: Sqlite.Options): Sqlite.Database {
  const isAlone = process.platform !== 'win32' && path !== ':memory:'
  return new Sqlite(isAlone ? `${pathToFileURL(path).href}?vfs=unix-excl` : path, options)
}

/** The first bytes of a database file. */
const magic = 'SQLite format 3\0'

/** The bytes of its header. */
const headerBytes = 100

/**
 * The `user_version` in the header of the database file at `path`, which is not touched and gets no
 * file beside it. A change that only the log has is not seen. SQLite itself is not asked: without
 * its log, a file whose last checkpoint found no room looks damaged.
 *
 * @throws {Sqlite.SqliteError} it is no database
 * @see https://www.sqlite.org/fileformat2.html#the_database_header
 */
export function versionInFile(path: string): number {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    const read = readSync(file, header, 0, headerBytes, 0)
    if (read === 0) return 0
    if (read === headerBytes && header.toString('latin1', 0, magic.length) === magic)
      return header.readUInt32BE(60)
  } finally {
    closeSync(file)
  }
  throw new Sqlite.SqliteError('file is not a database', 'SQLITE_NOTADB')
}

/** The `user_version` of a database. */
export function versionOf(sqlite: Sqlite.Database): number {
  return Number(sqlite.pragma('user_version', { simple: true }))
}

/** Path of the file that was connected to. */
export function pathOf({ name }: Sqlite.Database): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name
}

/** Controls which commits a connection sees. */
export interface Look {
  /** Keeps the present snapshot until `refresh`. */
  readonly hold: () => void
  /** Lets the next query see everything committed since. */
  readonly refresh: () => void
}

/**
 * A connection for reading alone: it never waits for the writer, nor the writer for it.
 *
 * Its queries share one read transaction, which is begun by the first of them and ended by
 * `refresh`: locking the log for each query alone takes longer than most queries do. The writer
 * calls `hold` before a commit and `refresh` once it is durable, so that no read returns a commit
 * that a power cut could undo, and no old snapshot keeps the log from restarting.
 */
export class FileReader implements Look, Disposable {
  readonly sqlite: Sqlite.Database
  readonly #begin: Sqlite.Statement
  readonly #end: Sqlite.Statement
  readonly #look: Sqlite.Statement
  #isLooking = false
  #view = {}

  constructor(path: string) {
    this.sqlite = connect(path, { readonly: true })
    this.sqlite.pragma('query_only = 1')
    this.sqlite.pragma('trusted_schema = 0')
    this.#begin = this.sqlite.prepare('BEGIN')
    this.#end = this.sqlite.prepare('COMMIT')
    this.#look = this.sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1')
  }

  /** To be called before each query. */
  readonly beforeQuery = (): void => {
    if (this.#isLooking) return
    this.#begin.run()
    this.#isLooking = true
  }

  /** Identifies the snapshot that queries see; changes with each `hold` and `refresh`. */
  readonly view = (): object => this.#view

  readonly hold = (): void => {
    this.refresh()
    this.beforeQuery()
    this.#look.get()
  }

  readonly refresh = (): void => {
    this.#view = {}
    if (!this.#isLooking) return
    this.#end.run()
    this.#isLooking = false
  };

  [Symbol.dispose](): void {
    this.sqlite.close()
  }
}
