import type { Kysely } from 'kysely'
import type { SharedSecretReader, SharedSecretWriter } from '../../ports/shared-secrets.ts'
import type { Tables } from './schema/tables.ts'

export function sharedSecretReader(db: Kysely<Tables>): SharedSecretReader {
  return {
    find: async (name) => {
      const found = db.selectFrom('shared_secrets').select('value').where('name', '=', name)
      return (await found.executeTakeFirst())?.value
    },
  }
}

export function sharedSecretWriter(db: Kysely<Tables>): SharedSecretWriter {
  return {
    ...sharedSecretReader(db),
    insert: async (name, value) => {
      await db.insertInto('shared_secrets').values({ name, value }).execute()
    },
  }
}
