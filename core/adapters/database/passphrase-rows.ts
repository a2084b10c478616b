import type { Kysely } from 'kysely'
import type { PassphraseReader, PassphraseWriter } from '../../ports/accounts.ts'
import type { Tables } from './schema/tables.ts'

export function passphraseReader(db: Kysely<Tables>): PassphraseReader {
  return {
    find: async (user) => {
      const select = db.selectFrom('passphrases').select('hashed').where('account_id', '=', user)
      return (await select.executeTakeFirst())?.hashed
    },
  }
}

export function passphraseWriter(db: Kysely<Tables>): PassphraseWriter {
  return {
    ...passphraseReader(db),
    put: async (user, hashed) => {
      await db
        .insertInto('passphrases')
        .values({ account_id: user, hashed })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ hashed }))
        .execute()
    },
  }
}
