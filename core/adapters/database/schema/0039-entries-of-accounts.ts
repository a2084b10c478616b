import { sql, type Kysely, type SchemaModule } from 'kysely'
import type { Engine, Tables } from './tables.ts'

/**
 * Where an entry of the issuer names its account: tokens, codes, grants and sessions; links to
 * download and to set a passphrase; a sign-in under way, by its session or by its outcome.
 */
export const accountPaths: readonly (readonly string[])[] = [
  ['accountId'],
  ['user'],
  ['session', 'accountId'],
  ['result', 'login', 'accountId'],
]

/** Whose the entries of the issuer are, so that those of a user are found without reading all. */
export async function entriesOfAccounts(
  schema: SchemaModule,
  engine: Engine,
  db: Kysely<Tables>,
): Promise<void> {
  await schema.alterTable('issuer_entries').addColumn('account_id', 'text').execute()
  const at = (path: readonly string[]): string =>
    engine === 'sqlite'
      ? `json_extract(payload, '$.${path.join('.')}')`
      : `CAST(payload AS json) #>> '{${path.join(',')}}'`
  const found = `coalesce(${accountPaths.map(at).join(', ')})`
  await sql.raw(`UPDATE issuer_entries SET account_id = ${found}`).execute(db)
  await schema
    .createIndex('issuer_entries_by_account')
    .on('issuer_entries')
    .columns(['account_id'])
    .execute()
}
