import { DatabaseTooNew } from '../../errors.ts'
import { migrations } from './migrations/index.ts'
import type { SqliteConnection } from './open-sqlite.ts'

/**
 * Brings the schema up to the version of this program, each migration in a transaction of its own
 * together with the number that says it was made.
 *
 * @throws {DatabaseTooNew} a newer program has migrated the database; nothing is touched
 */
export async function migrateSqlite({ sqlite, db }: SqliteConnection): Promise<void> {
  const found = Number(sqlite.pragma('user_version', { simple: true }))
  if (found > migrations.length) throw new DatabaseTooNew(found, migrations.length)
  for (const [index, migrate] of migrations.entries()) {
    if (index < found) continue
    sqlite.exec('BEGIN IMMEDIATE')
    try {
      await migrate(db.schema)
      sqlite.pragma(`user_version = ${index + 1}`)
      sqlite.exec('COMMIT')
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
      throw error
    }
  }
}
