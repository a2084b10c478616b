import type { Kysely } from 'kysely'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type {
  IssuerEntry,
  IssuerReader,
  IssuerWriter,
  SharedSecretReader,
  SharedSecretWriter,
} from '../../ports/issuer.ts'
import { prepared } from './prepared.ts'
import { accountPaths } from './schema/0039-entries-of-accounts.ts'
import type { Tables } from './schema/tables.ts'
import type { IssuerEntryRow } from './schema/account-tables.ts'

export function issuerReader(db: Kysely<Tables>): IssuerReader {
  const select = db.selectFrom('issuer_entries').selectAll()
  const byHash = prepared(db, (kind: string, hash: string) =>
    select.where('kind', '=', kind).where('hash', '=', hash),
  )
  return {
    find: async (kind, hash) => toEntry((await byHash(kind, hash))[0]),
    findByUserCode: async (userCode) =>
      toEntry(await select.where('user_code', '=', userCode).executeTakeFirst()),
    listOf: async (user) => {
      const rows = await select.where('account_id', '=', user).execute()
      return rows.flatMap((row) => toEntry(row) ?? [])
    },
  }
}

export function issuerWriter(db: Kysely<Tables>): IssuerWriter {
  const remove = db.deleteFrom('issuer_entries')
  return {
    ...issuerReader(db),
    put: async (entry) => {
      const row = toRow(entry)
      await db
        .insertInto('issuer_entries')
        .values(row)
        .onConflict((conflict) => conflict.columns(['kind', 'hash']).doUpdateSet(row))
        .execute()
    },
    consume: async (kind, hash, now) => {
      const entry = db.updateTable('issuer_entries').set({ consumed: now })
      const unused = entry
        .where('kind', '=', kind)
        .where('hash', '=', hash)
        .where('consumed', 'is', null)
      return (await unused.executeTakeFirstOrThrow()).numUpdatedRows > 0n
    },
    remove: async (kind, hash) => {
      await remove.where('kind', '=', kind).where('hash', '=', hash).execute()
    },
    removeGrant: async (grant) => {
      await remove.where('grant_id', '=', grant).execute()
    },
    removeOf: async (user, kept) => {
      const own = remove.where('account_id', '=', user)
      await own.where('kind', '!=', kept).execute()
    },
    removeExpired: async (now) => {
      const { numDeletedRows } = await remove.where('expires', '<', now).executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

function toEntry(row: IssuerEntryRow | undefined): IssuerEntry | undefined {
  if (!row) return undefined
  const { kind, hash, payload, grant_id, user_code, consumed, expires } = row
  return {
    kind,
    hash,
    payload: JSON.parse(payload) as JsonObject,
    ...(grant_id === null ? {} : { grant: grant_id }),
    ...(user_code === null ? {} : { userCode: user_code }),
    ...(consumed === null ? {} : { consumed }),
    expires,
  }
}

function toRow(entry: IssuerEntry): IssuerEntryRow {
  return {
    kind: entry.kind,
    hash: entry.hash,
    payload: JSON.stringify(entry.payload),
    grant_id: entry.grant ?? null,
    user_code: entry.userCode ?? null,
    consumed: entry.consumed ?? null,
    expires: entry.expires,
    account_id: accountOfEntry(entry.payload),
  }
}

/** Whose an entry is; null where it is nobody's yet. */
function accountOfEntry(payload: JsonObject): string | null {
  for (const path of accountPaths) {
    let found: Json | undefined = payload
    for (const name of path) found = isJsonObject(found) ? found[name] : undefined
    if (typeof found === 'string') return found
  }
  return null
}

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
    put: async (name, value) => {
      await db
        .insertInto('shared_secrets')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute()
    },
    remove: async (name) => {
      await db.deleteFrom('shared_secrets').where('name', '=', name).execute()
    },
  }
}
