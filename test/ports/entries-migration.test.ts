import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { PostgresTypes } from '../../core/adapters/database/postgres-types.ts'
import { entriesOfAccounts } from '../../core/adapters/database/schema/0039-entries-of-accounts.ts'
import { migrations } from '../../core/adapters/database/schema/index.ts'
import type { Engine, Tables } from '../../core/adapters/database/schema/tables.ts'
import { openSqliteDatabase, openWriter } from '../../core/adapters/database/sqlite-database.ts'
import { openPostgresDatabase } from '../../core/adapters/postgres/postgres-database.ts'
import { parseUserId } from '../../core/index.ts'
import type { Database } from '../../core/ports/database.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { at } from '../support/rows.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The number of migrations before entries of the issuer were found by their account. */
const before = migrations.indexOf(entriesOfAccounts)

const [ada, bob] = [parseUserId('ada-id'), parseUserId('bob-id')]

/** By their hashes. */
const payloads = {
  token: { accountId: ada, clientId: 'deposit-cli' },
  link: { user: ada, ends: at(1) },
  arrived: { session: { accountId: ada, uid: 'u' } },
  decided: { result: { login: { accountId: ada } } },
  other: { accountId: bob, note: `about ${ada}` },
  nobody: { clientId: 'deposit-cli' },
}

async function insertOld(db: Kysely<Tables>): Promise<void> {
  for (const [hash, payload] of Object.entries(payloads)) {
    const row = { kind: 'AccessToken', hash, payload: JSON.stringify(payload), expires: at(59) }
    await sql`insert into issuer_entries (kind, hash, payload, expires)
      values (${row.kind}, ${row.hash}, ${row.payload}, ${row.expires})`.execute(db)
  }
}

async function oldSqlite(path: string): Promise<Database> {
  {
    using writer = openWriter(path)
    for (const migrate of migrations.slice(0, before))
      await migrate(writer.db.schema, 'sqlite', writer.db)
    await insertOld(writer.db)
    writer.sqlite.pragma(`user_version = ${before}`)
  }
  return openSqliteDatabase(path, () => {})
}

async function oldPostgres(url: string): Promise<Database> {
  {
    await using db = openPostgres(url, { connections: 1 })
    await sql`create table schema_version (version bigint primary key)`.execute(db)
    for (const [index, migrate] of migrations.slice(0, before).entries()) {
      await migrate(db.withPlugin(new PostgresTypes()).schema, 'postgres', db)
      await sql`insert into schema_version values (${index + 1})`.execute(db)
    }
    await insertOld(db)
    await sql`insert into search_state values ('records'), ('deposits')`.execute(db)
  }
  return openPostgresDatabase(url, () => {})
}

const engines: readonly Engine[] = hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']

describe.each(engines)('entries of the issuer from an older program (%s)', (engine) => {
  it('are found by their account, and removed with its sign-ins', async () => {
    await using stack = new AsyncDisposableStack()
    const open = async (): Promise<Database> => {
      if (engine === 'sqlite') {
        const { path } = stack.use(await temporaryFolder())
        return oldSqlite(join(path, 'deposit.db'))
      }
      const server = stack.use(await startPostgres())
      return oldPostgres(await server.database('old'))
    }
    const database = stack.use(await open())

    const found = await database.read.issuer.listOf(ada)
    await database.write((unit) => unit.issuer.removeOf(ada, 'PassphraseLink'))

    expect(found.map(({ hash }) => hash).toSorted()).toEqual([
      'arrived',
      'decided',
      'link',
      'token',
    ])
    expect(await database.read.issuer.listOf(ada)).toEqual([])
    expect((await database.read.issuer.listOf(bob)).map(({ hash }) => hash)).toEqual(['other'])
  })
})
