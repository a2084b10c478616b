import { createHash } from 'node:crypto'
import { hasPostgres, makeDatabase, startPostgres, type PostgresServer } from './postgres.ts'

/** Address of the server that the whole run uses, if it runs on PostgreSQL. */
const serverVariable = 'TEST_POSTGRES_SERVER'

let server: PostgresServer | undefined

/**
 * Starts a PostgreSQL for the whole run if `TEST_DATABASE=postgres` asks for it. Then
 * {@link databaseOf} gives every daemon its own database there.
 */
export async function setup(): Promise<void> {
  if (process.env['TEST_DATABASE'] !== 'postgres' || !hasPostgres()) return
  server = await startPostgres()
  process.env[serverVariable] = server.url
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
}

/** True if the rows of this run are not on the disk of the home; reports it loudly. */
export function rowsLieElsewhere(what = 'rows on a full disk'): boolean {
  if (process.env[serverVariable] === undefined) return false
  process.stderr.write(`\nSKIPPED: ${what}, for the rows are in PostgreSQL\n`)
  return true
}

/** True if searches use an index that is written with the rows, without further calls. */
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
