import { openDatabase, openSnapshot } from '../../open-stores.ts'
import type { Home } from '../../home.ts'
import type { OfflineWork } from './offline.ts'
import type { Ending, Voice } from './work.ts'

/** `depositd migrate`: brings the database up to the schema of this program. */
export const migrate: OfflineWork = async (home, _options, { tell }) => {
  if (home.databaseUrl !== undefined) return migratePostgres(home, tell)
  const before = schemaOf(home.database)
  const database = await openDatabase(home, (error) => tell('note', String(error)))
  await database[Symbol.asyncDispose]()
  const after = schemaOf(home.database)
  tell(
    'note',
    before === after
      ? `The database has schema version ${after} already.`
      : `Migrated the database from schema version ${before} to ${after}.`,
  )
  return 'done'
}

/** It keeps no copy: that is `pg_dump`'s. */
async function migratePostgres(home: Home, tell: Voice['tell']): Promise<Ending> {
  const database = await openDatabase(home, (error) => tell('note', String(error)))
  await database[Symbol.asyncDispose]()
  tell('note', 'The database has the schema of this program.')
  return 'done'
}

/** 0 where there is no database. */
function schemaOf(path: string): number {
  try {
    using snapshot = openSnapshot(path)
    return snapshot.schema
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_CANTOPEN') return 0
    throw error
  }
}
