import type { Kysely } from 'kysely'
import { parseUserId } from '../../access/caller.ts'
import { isScope } from '../../contract/scopes.ts'
import type { Client, ClientReader, ClientWriter } from '../../ports/issuer.ts'
import type { ClientRow, Tables } from './tables.ts'

export function clientReader(db: Kysely<Tables>): ClientReader {
  const select = db.selectFrom('clients').selectAll()
  return {
    find: async (id) => {
      const row = await select.where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },
    list: async () => {
      const rows = await select.orderBy('created').orderBy('id').execute()
      return rows.map(fromRow)
    },
  }
}

export function clientWriter(db: Kysely<Tables>): ClientWriter {
  return {
    ...clientReader(db),
    insert: async (client) => {
      await db.insertInto('clients').values(toRow(client)).execute()
    },
    remove: async (id) => {
      const { numDeletedRows } = await db
        .deleteFrom('clients')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}

function fromRow({ id, name, secret_hash, account_id, scopes, created }: ClientRow): Client {
  return {
    id,
    name,
    secretHash: secret_hash,
    owner: parseUserId(account_id),
    scopes: scopes.split(' ').filter(isScope),
    created,
  }
}

function toRow({ id, name, secretHash, owner, scopes, created }: Client): ClientRow {
  return {
    id,
    name,
    secret_hash: secretHash,
    account_id: owner,
    scopes: scopes.join(' '),
    created,
  }
}
