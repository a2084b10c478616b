import Sqlite from 'better-sqlite3'
import { closeSync, openSync, readSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Lets a connection say how its file is locked. It is read when the first one of the process is
// opened, whoever opens it; had it not been read, no file would be found under the address below.
process.env['SQLITE_USE_URI'] = '1'

/**
 * Opens a connection to the database file at `path`, which this process has for itself as long as
 * one that can write is open: others are told that it is busy.
 *
 * What the connections of a log tell each other is then in memory, and not in a mapped file beside
 * it (`-shm`). To write to a mapped file may take room on the disk, as it does on one that copies
 * on write (btrfs): where no more is allowed, that is no error of a call, but the end of the process
 * (SIGBUS).
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
