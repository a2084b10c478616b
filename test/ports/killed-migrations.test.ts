import Sqlite from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { foundation } from '../../core/adapters/database/schema/0001-foundation.ts'
import { migrations } from '../../core/adapters/database/schema/index.ts'
import { migrateSqlite, openWriter } from '../../core/adapters/database/sqlite-database.ts'
import { pathOf } from '../../core/adapters/sqlite/connect.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

afterEach(() => void vi.restoreAllMocks())

it('a migration that is killed at any statement leaves a whole schema, and can be run again', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'deposit.db')
  await makeOld(path)
  const schemas = await schemaOfEachVersion(folder.path)
  const images = await imagesOfMigration(path, join(folder.path, 'images'))

  const found = [...Map.groupBy(images, ({ image }) => image)].map(([image, points]) => ({
    at: points.map(({ at }) => at).join('; '),
    image,
    ...look(image),
  }))
  for (const { at, version, schema } of found) expect(schema, at).toEqual(schemas.get(version))
  // The last version is reached after the last statement, so it is in no image.
  const met = [...schemas.keys()].slice(0, -1)
  expect([...new Set(found.map(({ version }) => version))]).toEqual(met)
  for (const { at, image } of found) {
    await migrate(image)
    const { version, emails } = look(image)
    expect({ version, emails }, at).toEqual({
      version: migrations.length,
      emails: ['ada@example.org'],
    })
  }
})

async function imagesOfMigration(path: string, folder: string) {
  using connection = openWriter(path)
  const images = takeImages(connection.sqlite, folder)
  await migrateSqlite(connection)
  return images
}

/**
 * The files of a database as a crash would leave them before each statement sent to it. Those that a
 * statement has not changed are the same image.
 */
function takeImages(sqlite: Sqlite.Database, folder: string) {
  const images: { readonly at: string; readonly image: string }[] = []
  const path = pathOf(sqlite)
  const take = (at: string): void => {
    const files = ['', '-wal'].filter((end) => existsSync(path + end))
    const digest = createHash('sha256')
    for (const end of files) digest.update(`${end}\0`).update(readFileSync(path + end))
    const place = join(folder, digest.digest('hex'))
    const image = join(place, 'deposit.db')
    images.push({ at, image })
    if (existsSync(place)) return
    mkdirSync(place, { recursive: true })
    for (const end of files) copyFileSync(path + end, image + end)
  }
  const prepare = sqlite.prepare.bind(sqlite)
  const exec = sqlite.exec.bind(sqlite)
  const pragma = sqlite.pragma.bind(sqlite)
  vi.spyOn(sqlite, 'prepare').mockImplementation((sql) => {
    take(sql)
    return prepare(sql)
  })
  vi.spyOn(sqlite, 'exec').mockImplementation((sql) => {
    take(sql)
    return exec(sql)
  })
  vi.spyOn(sqlite, 'pragma').mockImplementation((sql, options) => {
    take(sql)
    return pragma(sql, options)
  })
  return images
}

async function migrate(path: string): Promise<void> {
  using connection = openWriter(path)
  await migrateSqlite(connection)
}

/** A database as the first release made it, with one account. */
async function makeOld(path: string): Promise<void> {
  using connection = openWriter(path)
  await foundation(connection.db.schema)
  const row = { id: '1', email: 'ada@example.org', admin: 0, disabled: 0, created: '2026' }
  await connection.db.insertInto('accounts').values(row).execute()
  connection.sqlite.pragma('user_version = 1')
}

async function schemaOfEachVersion(folder: string): Promise<ReadonlyMap<number, unknown>> {
  const path = join(folder, 'each.db')
  const schemas = new Map<number, unknown>()
  for (const [index, step] of migrations.entries()) {
    {
      using connection = openWriter(path)
      await step(connection.db.schema, 'sqlite', connection.db)
      connection.sqlite.pragma(`user_version = ${index + 1}`)
    }
    schemas.set(index + 1, look(path).schema)
  }
  return schemas
}

function look(path: string) {
  const sqlite = new Sqlite(path)
  try {
    const tables = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'
    return {
      version: Number(sqlite.pragma('user_version', { simple: true })),
      schema: sqlite.prepare(tables).all(),
      emails: sqlite.prepare('SELECT email FROM accounts').pluck().all(),
    }
  } finally {
    sqlite.close()
  }
}
