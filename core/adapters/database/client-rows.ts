import type { Kysely } from 'kysely'
import { parseUserId } from '../../access/caller.ts'
import { isScope } from '../../contract/scopes.ts'
import {
  clientUses,
  type Client,
  type ClientReader,
  type ClientWriter,
} from '../../ports/issuer.ts'
import type { Tables } from './schema/tables.ts'
import type { ClientRow } from './schema/account-tables.ts'

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

function fromRow(row: ClientRow): Client {
  const { id, name, secret_hash: secretHash, account_id: owner, created } = row
  const uses = row.uses.split(' ')
  return {
    id,
    name,
    ...(secretHash !== null && { secretHash }),
    ...(owner !== null && { owner: parseUserId(owner) }),
    scopes: row.scopes.split(' ').filter(isScope),
    uses: clientUses.filter((use) => uses.includes(use)),
    redirectUris: row.redirect_uris.split(' ').filter((uri) => uri !== ''),
    created,
  }
}

function toRow(client: Client): ClientRow {
  const { id, name, secretHash, owner, scopes, uses, redirectUris, created } = client
  return {
    id,
    name,
    secret_hash: secretHash ?? null,
    account_id: owner ?? null,
    scopes: scopes.join(' '),
    uses: uses.join(' '),
    redirect_uris: redirectUris.join(' '),
    created,
  }
}
