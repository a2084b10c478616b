import type Sqlite from 'better-sqlite3'
import { sha256 } from '../../json/canonical.ts'
import type { RowFault } from '../../ports/upkeep.ts'
import { inspectPages } from '../sqlite/open-file.ts'
import { invariants, sqliteInvariants } from './row-invariants.ts'

/** Everything that is wrong with a database, in one transaction: as it is in one moment. */
export function* inspectRows(
  sqlite: Sqlite.Database,
  depth: 'quick' | 'full',
): Generator<RowFault, void, undefined> {
  sqlite.exec('BEGIN')
  try {
    for (const message of inspectPages(sqlite, depth)) {
      yield { table: 'database', id: '', message }
    }
    yield* inspectDigests(sqlite, 'deposits', 'id')
    yield* inspectDigests(sqlite, 'record_revisions', "pid_value || '@' || revision")
    for (const { table, message, sql } of [...invariants, ...sqliteInvariants]) {
      for (const id of sqlite.prepare(sql).pluck().all()) yield { table, id: String(id), message }
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    yield { table: 'database', id: '', message: `cannot be read: ${message}` }
  } finally {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
  }
}

interface Digested {
  readonly id: string
  readonly document: string
  readonly digest: string
}

function* inspectDigests(sqlite: Sqlite.Database, table: string, id: string): Generator<RowFault> {
  const rows = sqlite.prepare<[], Digested>(`SELECT ${id} AS id, document, digest FROM ${table}`)
  for (const row of rows.iterate()) {
    if (sha256(row.document) === row.digest) continue
    yield { table, id: row.id, message: 'has a document that does not match its digest' }
  }
}
