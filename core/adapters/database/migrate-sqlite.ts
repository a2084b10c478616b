import { existsSync } from 'node:fs'
import { DatabaseTooNew } from '../../ports/upkeep.ts'
import { versionInFile, versionOf } from '../sqlite/connect.ts'
import { keepCopy } from './copy-before-migration.ts'
import { migrations } from './schema/index.ts'
import type { SqliteConnection } from './open-sqlite.ts'

/**
 * Looks at the schema of the database file at `path` without touching it, and before anything is
 * written beside it. {@link migrateSqlite} looks again, at what its log has as well.
 *
 * @throws {DatabaseTooNew} a newer program has migrated it
 */
export function requireKnownSchema(path: string): void {
  if (!existsSync(path)) return
  const found = versionInFile(path)
  if (found > migrations.length) throw new DatabaseTooNew(found, migrations.length)
}

/**
 * Brings the schema up to the version of this program, each migration in a transaction of its own
 * together with the number that says it was made. A database that has data is copied first.
 *
 * @throws {DatabaseTooNew} a newer program has migrated the database; nothing is touched
 */
export async function migrateSqlite({ sqlite, db }: SqliteConnection): Promise<void> {
  const found = versionOf(sqlite)
  if (found > migrations.length) throw new DatabaseTooNew(found, migrations.length)
  if (found > 0 && found < migrations.length) await keepCopy(sqlite, found, migrations.length)
  for (const [index, migrate] of migrations.entries()) {
    if (index < found) continue
    sqlite.exec('BEGIN IMMEDIATE')
    try {
      await migrate(db.schema, 'sqlite', db)
      sqlite.pragma(`user_version = ${index + 1}`)
      sqlite.exec('COMMIT')
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
      throw error
    }
  }
}
