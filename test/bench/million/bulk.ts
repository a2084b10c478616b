import type { Client } from 'pg'

/**
 * Inserts rows as JSON, which the driver writes fastest.
 *
 * @param rows all with the same columns
 */
export async function insertRows(
  client: Client,
  table: string,
  rows: readonly object[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).map((name) => `"${name}"`)
  if (columns.length === 0) return
  await client.query(
    `INSERT INTO ${table} (${columns.join()}) SELECT ${columns.join()} ` +
      `FROM json_populate_recordset(NULL::${table}, $1::json)`,
    [JSON.stringify(rows)],
  )
}

interface Named {
  readonly name: string
  readonly place: string
  readonly definition: string
}

/** Indexes and constraints that are dropped while rows are inserted. */
export interface BareTables {
  /** Recreates them all as they were; a row that breaks a constraint fails. */
  readonly restore: (told: (name: string) => void) => Promise<void>
}

/** Drops all indexes and constraints of `tables`, except NOT NULL. */
export async function bare(client: Client, tables: readonly string[]): Promise<BareTables> {
  const list = async (sql: string): Promise<readonly Named[]> =>
    (await client.query<Named>(sql, [tables])).rows
  // Constraints that refer to others are dropped first and recreated last.
  const constraints = await list(
    'SELECT conname AS name, conrelid::regclass::text AS place, ' +
      'pg_get_constraintdef(oid) AS definition FROM pg_constraint ' +
      "WHERE conrelid::regclass::text = ANY ($1) AND contype IN ('f', 'u', 'p') " +
      "ORDER BY contype = 'f' DESC, conname",
  )
  for (const { place, name } of constraints)
    await client.query(`ALTER TABLE ${place} DROP CONSTRAINT "${name}"`)
  const indexes = await list(
    'SELECT indexname AS name, tablename AS place, indexdef AS definition FROM pg_indexes ' +
      'WHERE tablename = ANY ($1) ORDER BY tablename, indexname',
  )
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`)
  return {
    restore: async (told) => {
      for (const { name, place, definition } of constraints.toReversed()) {
        await client.query(`ALTER TABLE ${place} ADD CONSTRAINT "${name}" ${definition}`)
        told(name)
      }
      for (const { name, definition } of indexes) {
        await client.query(definition)
        told(name)
      }
    },
  }
}
