import type Sqlite from 'better-sqlite3'
import { once } from 'node:events'
import { startThread } from '../../base/threads.ts'
import { connect } from './connect.ts'

/**
 * Settings of the writing connection. better-sqlite3 is built with `synchronous=NORMAL` for WAL,
 * which by itself loses acknowledged writes in a power cut; so every value is read back. It stays
 * at FULL until `write-ahead-log.ts` has taken the syncing over.
 */
const pragmas = {
  journal_mode: 'wal',
  synchronous: 2 /* FULL */,
  foreign_keys: 1,
  busy_timeout: 5000,
  trusted_schema: 0,
  cell_size_check: 1,
  mmap_size: 0,
  // Otherwise SQLite keeps undo data in a temporary file outside of the home.
  temp_store: 2 /* MEMORY */,
  wal_autocheckpoint: 0 /* write-ahead-log.ts */,
  journal_size_limit: 64 * 1024 * 1024,
} as const

/** Options of a new file, which it keeps. */
export interface NewFile {
  /** Bytes. */
  readonly page_size?: number
  /** Gives the file system back what is removed, at each commit. */
  readonly auto_vacuum?: 'full'
}

/**
 * Opens the one connection that writes to the database file at `path`.
 *
 * @throws {Error} a pragma did not take: the file system or the build cannot keep the promise
 */
export function openSqliteWriter(path: string, fresh: NewFile = {}): Sqlite.Database {
  const sqlite = connect(path)
  try {
    const isNew = sqlite.pragma('page_count', { simple: true }) === 0
    for (const [name, value] of Object.entries(isNew ? fresh : {})) {
      sqlite.pragma(`${name} = ${value}`)
    }
    for (const [name, value] of Object.entries(pragmas)) set(sqlite, name, value)
  } catch (error) {
    sqlite.close()
    throw error
  }
  if (process.platform === 'darwin') {
    sqlite.pragma('fullfsync = 1')
    sqlite.pragma('checkpoint_fullfsync = 1')
  }
  return sqlite
}

function set(sqlite: Sqlite.Database, name: string, value: string | number): void {
  sqlite.pragma(`${name} = ${value}`)
  const actual: unknown = sqlite.pragma(name, { simple: true })
  // Memory-mapped I/O may be compiled out; then there is nothing to read back.
  if (actual === value || (name === 'mmap_size' && actual === undefined)) return
  throw new Error(`SQLite cannot be used here: ${name} is ${String(actual)}, not ${value}`)
}

/** Faults that SQLite finds, a sentence each. Its pages have no digests, so it does not see every change. */
export function inspectPages(sqlite: Sqlite.Database, depth: 'quick' | 'full'): readonly string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check'
  const messages = sqlite.prepare(`PRAGMA ${pragma}`).pluck().all().map(String)
  return messages.filter((message) => message !== 'ok')
}

/** The same of the database file at `path`, all of it, on a thread of its own. */
export async function inspectFile(path: string): Promise<readonly string[]> {
  const options = { name: 'inspect', workerData: path }
  const worker = startThread(import.meta.url, 'inspect-worker', options)
  const [messages] = (await once(worker, 'message')) as [readonly string[]]
  return messages
}
