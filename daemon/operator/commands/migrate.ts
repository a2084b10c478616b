import { existsSync } from 'node:fs'
import { openDatabase, openReaders, openSnapshot, schemaState } from '../../stores/open-stores.ts'
import { newRows, requireOwnStore } from '../../stores/store-owner.ts'
import { requireAllRows } from '../../stores/unfinished-rows.ts'
import { ownerKey, type Home } from '../../home/home.ts'
import { describePlace, rememberPlace } from '../../home/place.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import type { OfflineWork, OperatorCommand } from '../command/operator-command.ts'

/** `depositd migrate`: brings the database up to the schema of this program. */
const migrate: OfflineWork = async (home, _options, { tell }) => {
  const isOld = (await schemaState(home)) === 'old'
  const before = schemaOf(home)
  {
    await using database = await openDatabase(home, (error) => tell('note', String(error)))
    await requireAllRows(database)
  }
  const after = schemaOf(home)
  const where = describePlace(home)
  const version = after === undefined ? 'the schema of this program' : `schema version ${after}`
  tell(
    'note',
    isOld
      ? `Migrated the database in ${where}${before === undefined ? '' : ` from ${before}`} to ${version}.`
      : `The database in ${where} has ${version} already.`,
  )
  return { ending: 'done', data: { migrated: isOld, schema: after ?? null } }
}

/** Undefined for PostgreSQL. */
function schemaOf({ database, databaseUrl }: Home): number | undefined {
  if (databaseUrl !== undefined) return undefined
  using snapshot = openSnapshot(database)
  return snapshot.schema
}

export const migrateCommand: OperatorCommand = {
  name: 'migrate',
  summary: 'migrate the database to this version; keeps a copy of SQLite first',
  migrates: true,
  kind: 'alone',
  run: migrate,
}

/** `depositd init`: a new, empty home, for commands that come before the first start. */
const init: OfflineWork = async (home, _options, { tell }) => {
  const where = describePlace(home)
  const state = await schemaState(home)
  if (state === 'current') {
    await using rows = await openReaders(home)
    await requireAllRows(rows)
  }
  if (state !== 'none') {
    throw new OperatorFailure(`There is a service in ${where} already; it was not changed.`)
  }
  await requireOwnStore(home, newRows)
  const database = await openDatabase(home, (error) => tell('note', String(error)))
  await database[Symbol.asyncDispose]()
  await ownerKey(home)
  await rememberPlace(home)
  tell('note', `Made an empty service in ${where}.`)
  return { ending: 'done', data: {} }
}

/**
 * Before the home is made: one that has noted the bucket of another service could not be used with
 * one of its own.
 *
 * @throws {StartFailure} as a start would
 */
async function requireNewBucket(home: Home): Promise<void> {
  const { database, databaseUrl, storageUrl } = home
  if (storageUrl === undefined) return
  const isMade =
    databaseUrl === undefined ? existsSync(database) : (await schemaState(home)) !== 'none'
  if (!isMade) await requireOwnStore(home, newRows)
}

export const initCommand: OperatorCommand = {
  name: 'init',
  requires: requireNewBucket,
  summary: 'make an empty home, as serve does',
  makesHome: true,
  kind: 'alone',
  run: init,
}
