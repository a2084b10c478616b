import Sqlite from 'better-sqlite3'
import { StorageFailed, StorageFull } from '../../errors.ts'

/**
 * What a failure of SQLite means to the service: no room, or a store that must not be trusted with
 * another write. Everything else is passed on as it is.
 */
export function explainSqliteError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  if (error.code === 'SQLITE_FULL') return new StorageFull(undefined, { cause: error })
  if (isFailure(error.code)) return new StorageFailed({ cause: error })
  return error
}

/** Broken constraint of the kind given, such as `UNIQUE` of `files.key`. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
}

function isFailure(code: string): boolean {
  return /^SQLITE_(?:IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN)/.test(code)
}
