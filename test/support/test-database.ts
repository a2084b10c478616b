import { createHash } from 'node:crypto'
import { hasPostgres, makeDatabase, startPostgres, type PostgresServer } from './postgres.ts'

/** Address of the server that the whole run uses, where it runs on PostgreSQL. */
const serverVariable = 'TEST_POSTGRES_SERVER'

let server: PostgresServer | undefined

/**
 * Starts a PostgreSQL for the whole run where `DEPOSIT_TEST_DATABASE=postgres` asks for it: then
 * every daemon that {@link databaseOf} is asked for has a database of its own there.
 */
export async function setup(): Promise<void> {
  if (process.env['DEPOSIT_TEST_DATABASE'] !== 'postgres' || !hasPostgres()) return
  server = await startPostgres()
  process.env[serverVariable] = server.url
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
}

/** True where the rows of this run do not lie on the disk of the home; says so loudly. */
export function rowsLieElsewhere(what = 'rows on a full disk'): boolean {
  if (process.env[serverVariable] === undefined) return false
  process.stderr.write(`\nSKIPPED: ${what}, for the rows are in PostgreSQL\n`)
  return true
}

/** True where searches are answered from what is written with the rows, told of it or not. */
export function searchIsInRows(): boolean {
  return process.env[serverVariable] !== undefined
}

/** Configures the rows of a daemon whose home is `home`: SQLite, or the PostgreSQL of the run. */
export async function databaseOf(home: string): Promise<Readonly<Record<string, string>>> {
  const address = process.env[serverVariable]
  if (address === undefined) return {}
  const name = `home_${createHash('sha256').update(home).digest('hex').slice(0, 40)}`
  return { DEPOSIT_DATABASE_URL: await makeDatabase(address, name) }
}
