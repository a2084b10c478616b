import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { migratePostgres } from '../../core/adapters/postgres/migrate-postgres.ts'
import { migrations } from '../../core/adapters/database/schema/index.ts'
import { openPostgres } from '../../core/adapters/database/open-postgres.ts'
import { PostgresTypes } from '../../core/adapters/database/postgres-types.ts'
import type { Tables } from '../../core/adapters/database/schema/tables.ts'
import { findNear } from '../../core/adapters/search/postgres/vocabulary.ts'
import { WordStore } from '../../core/adapters/search/postgres/projection.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'

it.skipIf(!hasPostgres())(
  'misspelled words are found among words stored before there were pieces, and among later ones',
  async () => {
    await using server = await startPostgres()
    const options = { connections: 1 }
    await using db = openPostgres(await server.database(randomUUID()), options)
    await makeOld(db)
    await new WordStore(db).add(['needle', 'needles', '𐌰𐌱𐌲', 'x'])
    await migratePostgres(db)
    await new WordStore(db).add(['needless', 'noodle'])
    const find = async (word: string, edits: 1 | 2) => (await findNear(db, word, edits)).toSorted()

    expect(await find('needle', 1)).toEqual(['needle', 'needles'])
    expect(await find('needle', 2)).toEqual(['needle', 'needles', 'needless', 'noodle'])
    expect(await find('eedlle', 2)).toEqual(['needle'])
    expect(await find('𐌰𐌱𐌱', 1)).toEqual(['𐌰𐌱𐌲'])
    expect(await find('𐌰𐌱', 1)).toEqual([])
    expect(await find('𐌰𐌱', 2)).toEqual(['𐌰𐌱𐌲'])
    expect(await find('y', 1)).toEqual(['x'])
    expect(await find('straw', 2)).toEqual([])
  },
)

/** The schema as it was before words had pieces. */
async function makeOld(db: Kysely<Tables>): Promise<void> {
  await sql`create table schema_version (version bigint primary key)`.execute(db)
  for (const [index, migrate] of migrations.slice(0, 10).entries()) {
    await migrate(db.withPlugin(new PostgresTypes()).schema, 'postgres', db)
    await sql`insert into schema_version (version) values (${index + 1})`.execute(db)
  }
}
