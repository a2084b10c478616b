import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { PostgresTypes } from '../../core/adapters/database/postgres-types.ts'
import { migrations } from '../../core/adapters/database/schema/index.ts'
import type { Engine, Tables } from '../../core/adapters/database/schema/tables.ts'
import { openSqliteDatabase, openWriter } from '../../core/adapters/database/sqlite-database.ts'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import type { Database } from '../../core/ports/database.ts'
import { hasPostgres, startPostgres } from './postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The engines that this machine has. */
export const engines: readonly Engine[] = hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']

/** Rows of an older program. */
interface Old {
  /** The first migration that it did not have. */
  readonly before: (typeof migrations)[number]
  readonly insert: (db: Kysely<Tables>) => Promise<void>
}

/** A database that an older program has left, opened and migrated by this one. */
export async function openOld(
  stack: AsyncDisposableStack,
  engine: Engine,
  old: Old,
): Promise<Database> {
  if (engine === 'sqlite') {
    const { path } = stack.use(await temporaryFolder())
    return stack.use(await oldSqlite(join(path, 'deposit.db'), old))
  }
  const server = stack.use(await startPostgres())
  return stack.use(await oldPostgres(await server.database('old'), old))
}

const migrationsOf = ({ before }: Old) => migrations.slice(0, migrations.indexOf(before))

async function oldSqlite(path: string, old: Old): Promise<Database> {
  {
    using writer = openWriter(path)
    const run = migrationsOf(old)
    for (const migrate of run) await migrate(writer.db.schema, 'sqlite', writer.db)
    await old.insert(writer.db)
    writer.sqlite.pragma(`user_version = ${run.length}`)
  }
  return openSqliteDatabase(path, () => {})
}

async function oldPostgres(url: string, old: Old): Promise<Database> {
  {
    await using db = openPostgres(url, { connections: 1 })
    await sql`create table schema_version (version bigint primary key)`.execute(db)
    for (const [index, migrate] of migrationsOf(old).entries()) {
      await migrate(db.withPlugin(new PostgresTypes()).schema, 'postgres', db)
      await sql`insert into schema_version values (${index + 1})`.execute(db)
    }
    await old.insert(db)
    await sql`insert into search_state values ('records'), ('deposits')`.execute(db)
  }
  return openPostgresDatabase(url, () => {})
}
