import { sql, type Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { entriesOfAccounts } from '../../core/adapters/database/schema/0039-entries-of-accounts.ts'
import type { Tables } from '../../core/adapters/database/schema/tables.ts'
import { parseUserId } from '../../core/index.ts'
import { engines, openOld } from '../support/old-database.ts'
import { at } from '../support/rows.ts'

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

describe.each(engines)('entries of the issuer from an older program (%s)', (engine) => {
  it('are found by their account, and removed with its sign-ins', async () => {
    await using stack = new AsyncDisposableStack()
    const database = await openOld(stack, engine, { before: entriesOfAccounts, insert: insertOld })

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
