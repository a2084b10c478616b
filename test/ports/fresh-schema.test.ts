import type Sqlite from 'better-sqlite3'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { migrations } from '../../core/adapters/database/schema/index.ts'
import {
  migrateSqlite,
  openReader,
  openWriter,
} from '../../core/adapters/database/sqlite-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = '../../core/adapters/database/schema/fresh-sqlite.ts'

it('the script of a new database is what the migrations leave', async () => {
  await using folder = await temporaryFolder()
  const path = await makeStepByStep(folder.path)
  using reader = openReader(path)

  await expect(scriptOf(reader.sqlite)).toMatchFileSnapshot(program)
})

it('a new database has the tables, indexes, triggers and rows that the migrations make', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'fresh.db')
  {
    using writer = openWriter(path)
    await migrateSqlite(writer)
  }

  const fresh = contentsOf(path)
  expect(fresh).toEqual(contentsOf(await makeStepByStep(folder.path)))
  expect(fresh.version).toBe(migrations.length)
  expect(fresh.faults).toBe('ok')
})

it('a new database that is killed while it is made is empty or whole, and is made again', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'fresh.db')
  const images: string[] = []
  {
    using writer = openWriter(path)
    for (const call of ['exec', 'pragma', 'prepare'] as const) {
      const run: (...args: never[]) => unknown = writer.sqlite[call].bind(writer.sqlite)
      const imaged = (...args: never[]): unknown => {
        images.push(takeImage(path, join(folder.path, String(images.length))))
        return run(...args)
      }
      vi.spyOn(writer.sqlite, call).mockImplementation(imaged as never)
    }
    await migrateSqlite(writer)
  }
  const whole = contentsOf(path)

  expect(images.length).toBeGreaterThan(3)
  for (const image of images) {
    using writer = openWriter(image)
    expect(writer.sqlite.prepare('SELECT * FROM sqlite_schema').all()).toEqual([])
    await migrateSqlite(writer)
  }
  for (const image of images) expect(contentsOf(image)).toEqual(whole)
})

it('a file that has tables and no version is refused, and stays as it is', async () => {
  await using folder = await temporaryFolder()
  using writer = openWriter(join(folder.path, 'other.db'))
  writer.sqlite.exec('CREATE TABLE audit (id)')

  await expect(migrateSqlite(writer)).rejects.toThrow('table "audit" already exists')

  expect(writer.sqlite.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['audit'])
})

/** A database that has been through one migration after another. */
async function makeStepByStep(folder: string): Promise<string> {
  const path = join(folder, 'steps.db')
  using writer = openWriter(path)
  for (const migrate of migrations) await migrate(writer.db.schema, 'sqlite', writer.db)
  writer.sqlite.pragma(`user_version = ${migrations.length}`)
  return path
}

/** The text of the module that exports the script. */
function scriptOf(sqlite: Sqlite.Database): string {
  const statements = sqlite
    .prepare<[], string>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid')
    .pluck()
    .all()
  const rows = tablesOf(sqlite).flatMap((table) =>
    sqlite
      .prepare(`SELECT * FROM "${table}"`)
      .raw()
      .all()
      .map(
        (row) => `INSERT INTO "${table}" VALUES (${(row as unknown[]).map(literal).join(', ')})`,
      ),
  )
  const script = [...statements, ...rows].map((statement) => `${statement};\n`).join('')
  return `/** What all migrations leave on SQLite. Not written by hand: \`index.ts\` says how. */
export const freshSqlite = \`
${script.replaceAll(/[\\`$]/g, String.raw`\$&`)}\`
`
}

function literal(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}

function tablesOf(sqlite: Sqlite.Database): readonly string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
  return sqlite.prepare<[], string>(sql).pluck().all()
}

function contentsOf(path: string) {
  using reader = openReader(path)
  const { sqlite } = reader
  const pragma = (name: string): unknown => sqlite.pragma(name, { simple: true })
  return {
    version: pragma('user_version'),
    settings: ['encoding', 'page_size', 'auto_vacuum', 'journal_mode', 'application_id'].map(
      pragma,
    ),
    faults: pragma('integrity_check'),
    schema: sqlite
      .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid')
      .all(),
    columns: tablesOf(sqlite).map((table) => sqlite.pragma(`table_xinfo("${table}")`)),
    rows: tablesOf(sqlite).map((table) => sqlite.prepare(`SELECT * FROM "${table}"`).all()),
  }
}

/** The files of a database as a crash would leave them. */
function takeImage(path: string, folder: string): string {
  mkdirSync(folder)
  const image = join(folder, 'fresh.db')
  for (const end of ['', '-wal']) if (existsSync(path + end)) cpSync(path + end, image + end)
  return image
}
