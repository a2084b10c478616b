import { sql, type Kysely } from 'kysely'
import { DatabaseTooNew, DatabaseUnfit } from '../../ports/upkeep.ts'
import type { ReadRows } from '../../ports/database.ts'
import { migrations } from '../database/schema/index.ts'
import { openPostgres } from '../database/open-postgres.ts'
import { PostgresTypes } from '../database/postgres-types.ts'
import { createReaders } from '../database/rows.ts'
import type { Tables } from '../database/schema/tables.ts'

/** `depo` in ASCII: the lock that daemons queue up for when they start together. */
const lock = 0x6465706f

/**
 * Brings the schema up to the version of this program, each migration in a transaction of its own
 * together with the number that says it was made. Daemons that start at the same time do so one
 * after another. CockroachDB takes no advisory locks: there, start one daemon first.
 *
 * @throws {DatabaseUnfit} it is not kept in UTF-8
 * @throws {DatabaseTooNew} a newer program has migrated the database; nothing is touched
 */
export async function migratePostgres(db: Kysely<Tables>): Promise<void> {
  await db.connection().execute(async (connection) => {
    await requireUtf8(connection)
    await sql`select pg_advisory_lock(${lock})`.execute(connection)
    try {
      await runMigrations(connection)
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection)
    }
  })
}

/** The number of migrations applied to the database at `url`; 0 if it has no tables of ours. */
export async function postgresSchema(url: string): Promise<number> {
  const db = openPostgres(url, { connections: 1 })
  try {
    const { rows } = await sql<{
      readonly made: boolean
    }>`select to_regclass('schema_version') is not null as made`.execute(db)
    return rows[0]?.made ? await schemaOf(db) : 0
  } finally {
    await db.destroy()
  }
}

/**
 * A table in the schema where ours would be made, if ours are not there yet. Tables of extensions do
 * not count. Those of others that came beside ours later are their operator's choice.
 */
export async function foreignTable(url: string): Promise<string | undefined> {
  const db = openPostgres(url, { connections: 1 })
  try {
    const { rows } = await sql<{ readonly name: string; readonly isOurs: boolean }>`
      with tables as (
        select oid, relname as name from pg_class
        where relnamespace = (select oid from pg_namespace where nspname = current_schema())
          and relkind in ('r', 'p', 'f')
          and not exists (
            select from pg_depend
            where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
          )
      )
      select name, name = 'schema_version' and (
        select array_agg(attname || ' ' || format_type(atttypid, atttypmod)) from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped
      ) = array['version bigint'] as "isOurs"
      from tables order by "isOurs" desc, name limit 1`.execute(db)
    const [found] = rows
    return found && !found.isOurs ? found.name : undefined
  } finally {
    await db.destroy()
  }
}

/** Reads the rows at `url`, which no service of this process has open. */
export function postgresReaders(url: string): ReadRows {
  const db = openPostgres(url, { connections: 1 })
  return { read: createReaders(db), [Symbol.asyncDispose]: () => db.destroy() }
}

async function requireUtf8(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ readonly server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding
  if (encoding === 'UTF8') return
  throw new DatabaseUnfit(`The database keeps text as ${encoding}, not as UTF8.`)
}

async function runMigrations(db: Kysely<Tables>): Promise<void> {
  await sql`create table if not exists schema_version (version bigint primary key)`.execute(db)
  const found = await schemaOf(db)
  if (found > migrations.length) throw new DatabaseTooNew(found, migrations.length)
  for (const [index, migrate] of migrations.entries()) {
    if (index < found) continue
    await db.transaction().execute(async (transaction) => {
      const { schema } = transaction.withPlugin(new PostgresTypes())
      await migrate(schema, 'postgres', transaction)
      await sql`insert into schema_version (version) values (${index + 1})`.execute(transaction)
    })
  }
}

async function schemaOf(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{
    readonly version: number | null
  }>`select max(version) as version from schema_version`.execute(db)
  return rows[0]?.version ?? 0
}
