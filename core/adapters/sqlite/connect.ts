import Sqlite from 'better-sqlite3'
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

/**
 * The `user_version` in the database file at `path`, which is not touched and gets no file beside it.
 * A change that only the log has is not seen.
 */
export function versionInFile(path: string): number {
  const sqlite = new Sqlite(`${pathToFileURL(path).href}?immutable=1`, { readonly: true })
  try {
    return versionOf(sqlite)
  } finally {
    sqlite.close()
  }
}

/** The `user_version` of a database. */
export function versionOf(sqlite: Sqlite.Database): number {
  return Number(sqlite.pragma('user_version', { simple: true }))
}

/** Path of the file that was connected to. */
export function pathOf({ name }: Sqlite.Database): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name
}
