import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { Client } from 'pg'
import { databaseOf } from './test-database.ts'

/** Runs one statement on the rows of the daemon at `home`, bypassing it; resolves to the result. */
export async function runBehind(home: string, sql: string): Promise<readonly unknown[]> {
  const { DEPOSIT_DATABASE_URL: url } = await databaseOf(home)
  return url === undefined ? inSqlite(join(home, 'deposit.db'), sql) : inPostgres(url, sql)
}

function inSqlite(path: string, sql: string): readonly unknown[] {
  const sqlite = new Sqlite(path)
  try {
    const statement = sqlite.prepare(sql)
    if (statement.reader) return statement.all()
    statement.run()
    return []
  } finally {
    sqlite.close()
  }
}

async function inPostgres(connectionString: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(sql)).rows
  } finally {
    await client.end()
  }
}
