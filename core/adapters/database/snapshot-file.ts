import type Sqlite from 'better-sqlite3'
import { DatabaseTooNew } from '../../ports/upkeep.ts'
import type { Readers } from '../../ports/database.ts'
import { connect, versionOf } from '../sqlite/connect.ts'
import { createReaders } from './rows.ts'
import { migrations } from './schema/index.ts'
import { openReader } from './sqlite-database.ts'

/** Rows with credentials: a copy of a database has the same rights. */
const credentialTables = ['tokens', 'issuer_entries', 'clients'] as const

/** A database file that no service uses. */
export interface SnapshotFile extends Disposable {
  /** The number of migrations applied. */
  readonly schema: number
  readonly read: Readers
}

/** `none` where there are no tables yet, `old` where this program would migrate them. */
export type SchemaState = 'none' | 'old' | 'current'

/** @throws {DatabaseTooNew} a newer program has migrated the database */
export function stateOfSchema(schema: number): SchemaState {
  if (schema > migrations.length) throw new DatabaseTooNew(schema, migrations.length)
  if (schema === 0) return 'none'
  return schema < migrations.length ? 'old' : 'current'
}

/** @throws {DatabaseTooNew} a newer program has made it */
export function openSnapshot(path: string): SnapshotFile {
  const reader = openReader(path)
  const schema = versionOf(reader.sqlite)
  try {
    stateOfSchema(schema)
  } catch (error) {
    reader[Symbol.dispose]()
    throw error
  }
  return {
    schema,
    read: createReaders(reader.db),
    [Symbol.dispose]: () => reader[Symbol.dispose](),
  }
}

/**
 * Prepares a snapshot to be served again: marks its manifests as due, has nothing sent to providers
 * of identifiers and, without `keepTokens`, removes all tokens, grants and clients.
 *
 * @throws {Error} it is not sound
 */
export function prepareSnapshot(path: string, keepTokens: boolean): void {
  const sqlite = connect(path)
  try {
    const verdict = String(sqlite.pragma('integrity_check(1)', { simple: true }))
    if (verdict !== 'ok') throw new Error(`The database of the backup is damaged: ${verdict}`)
    if (hasColumn(sqlite, 'record_revisions', 'manifested')) {
      sqlite.exec('UPDATE record_revisions SET manifested = 0')
    }
    if (hasTable(sqlite, 'identifiers')) pauseProviders(sqlite)
    if (!keepTokens) removeCredentials(sqlite)
  } finally {
    sqlite.close()
  }
}

/** What providers have may be newer than the backup: the operator looks before anything is sent. */
function pauseProviders(sqlite: Sqlite.Database): void {
  const statement = sqlite.prepare(
    `INSERT OR REPLACE INTO identifier_pauses (provider, reason, message, since)
      SELECT DISTINCT provider, 'restored', ?, ? FROM identifiers`,
  )
  statement.run('the rows were restored from a backup.', new Date().toISOString())
}

/** Overwrites the deleted rows, so that the file does not hold them either. */
function removeCredentials(sqlite: Sqlite.Database): void {
  sqlite.pragma('secure_delete = 1')
  for (const table of credentialTables) {
    if (hasTable(sqlite, table)) sqlite.exec(`DELETE FROM ${table}`)
  }
  sqlite.exec('VACUUM')
}

function hasTable(sqlite: Sqlite.Database, name: string): boolean {
  return sqlite.prepare('SELECT 1 FROM pragma_table_list WHERE name = ?').get(name) !== undefined
}

function hasColumn(sqlite: Sqlite.Database, table: string, name: string): boolean {
  const find = sqlite.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?')
  return find.get(table, name) !== undefined
}
