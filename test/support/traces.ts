import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Client } from 'pg'
import { databaseOf } from './test-database.ts'
import type { TestDaemon } from './test-daemon.ts'

/** Every table of a service as text, by name. */
export async function tablesOf(
  daemon: Pick<TestDaemon, 'home'>,
): Promise<Readonly<Record<string, string>>> {
  const { DEPOSIT_DATABASE_URL: url } = await databaseOf(daemon.home)
  return url === undefined ? tablesOfSqlite(join(daemon.home, 'deposit.db')) : tablesAt(url)
}

/** The same as one text. */
export async function dumpOf(daemon: Pick<TestDaemon, 'home'>): Promise<string> {
  return Object.values(await tablesOf(daemon)).join('\n')
}

function tablesOfSqlite(path: string): Readonly<Record<string, string>> {
  const sqlite = new Sqlite(path)
  try {
    const names = sqlite
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all()
      .map(String)
    const rows = (name: string) => JSON.stringify(sqlite.prepare(`SELECT * FROM "${name}"`).all())
    return Object.fromEntries(names.map((name) => [name, rows(name)]))
  } finally {
    sqlite.close()
  }
}

async function tablesAt(url: string): Promise<Readonly<Record<string, string>>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ readonly name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
    )
    const found: [string, string][] = []
    for (const { name } of tables)
      found.push([name, JSON.stringify((await client.query(`SELECT * FROM "${name}"`)).rows)])
    return Object.fromEntries(found)
  } finally {
    await client.end()
  }
}

/** Files of a home that hold a text. */
export async function filesWith(home: string, text: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if ((await readFile(path)).includes(text)) found.push(path)
  }
  return found
}
