import Sqlite from 'better-sqlite3'
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { problem } from '../../errors/errors.ts'
import { full } from '../storage-health.ts'
import { codeOf } from '../../base/errno.ts'

/** True for an error of SQLite itself, whose `code` matches. */
export function isSqliteError(error: unknown, code: RegExp): boolean {
  return error instanceof Sqlite.SqliteError && code.test(error.code)
}

/**
 * Turns a failure of SQLite into an error of the service: the disk is full, or the store must take
 * no more writes. Other errors are passed on.
 *
 * @param path of the database file
 */
export function explainSqliteError(error: unknown, path: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  if (error.code === 'SQLITE_FULL' || (isWrite(error.code) && lacksRoom(path))) {
    return problem('storage_full', { cause: error })
  }
  if (isFailure(error.code)) return problem('storage_failed', { cause: error })
  return error
}

/** Truncating counts as a write: it takes space on a file system that copies on write. */
function isWrite(code: string): boolean {
  return /^SQLITE_IOERR_(?:WRITE|TRUNCATE|SHMSIZE)$/.test(code)
}

/**
 * Whether a write like the one that failed meets a limit. SQLite tells a full disk apart from other
 * failures, but neither a quota nor the largest file a process may write.
 */
function lacksRoom(path: string): boolean {
  const probe = `${path}.probe`
  try {
    const end = Math.max(sizeOf(path), sizeOf(`${path}-wal`))
    const descriptor = openSync(probe, 'w', 0o600)
    try {
      writeSync(descriptor, Buffer.alloc(4096), 0, 4096, end)
    } finally {
      closeSync(descriptor)
      rmSync(probe, { force: true })
    }
    return false
  } catch (error) {
    return full.has(codeOf(error))
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function isFailure(code: string): boolean {
  return /^SQLITE_(?:IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN)/.test(code)
}
