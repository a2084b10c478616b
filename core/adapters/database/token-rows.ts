import type { Kysely } from 'kysely'
import { parseUserId, type TokenGrant } from '../../access/caller.ts'
import { isScope } from '../../contract/scopes.ts'
import type { TokenReader, TokenWriter } from '../../ports/accounts.ts'
import { prepared } from './prepared.ts'
import type { Tables, TokenRow } from './schema/tables.ts'

export function tokenReader(db: Kysely<Tables>): TokenReader {
  const select = db.selectFrom('tokens').selectAll()
  const byHash = prepared(db, (hash: string) => select.where('hash', '=', hash))
  return {
    findByHash: async (hash) => {
      const [row] = await byHash(hash)
      return row && fromRow(row)
    },
    list: async (user) => {
      const wanted = user === undefined ? select : select.where('account_id', '=', user)
      const rows = await wanted.orderBy('created').orderBy('id').execute()
      return rows.map(fromRow)
    },
    has: async (id) => {
      const row = db.selectFrom('tokens').select('id').where('id', '=', id)
      return (await row.executeTakeFirst()) !== undefined
    },
  }
}

export function tokenWriter(db: Kysely<Tables>): TokenWriter {
  return {
    ...tokenReader(db),
    insert: async (token) => {
      await db.insertInto('tokens').values(toRow(token)).execute()
    },
    remove: async (id) => {
      const { numDeletedRows } = await db
        .withRecursive('ended', (query) =>
          query
            .selectFrom('tokens')
            .select('tokens.id')
            .where('tokens.id', '=', id)
            .union(
              query
                .selectFrom('tokens')
                .innerJoin('ended', 'ended.id', 'tokens.parent_id')
                .select('tokens.id'),
            ),
        )
        .deleteFrom('tokens')
        .where('id', 'in', (query) => query.selectFrom('ended').select('ended.id'))
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
    removeExpired: async (now) => {
      await db.deleteFrom('tokens').where('expires', '<', now).execute()
    },
  }
}

function fromRow(row: TokenRow): TokenGrant {
  return {
    id: row.id,
    hash: row.hash,
    user: parseUserId(row.account_id),
    name: row.name,
    scopes: row.scopes.split(' ').filter(isScope),
    ...(row.deposit_id === null ? {} : { deposit: row.deposit_id }),
    created: row.created,
    ...(row.expires === null ? {} : { expires: row.expires }),
    ...(row.parent_id === null ? {} : { parent: row.parent_id }),
  }
}

function toRow(token: TokenGrant): TokenRow {
  return {
    id: token.id,
    hash: token.hash,
    account_id: token.user,
    name: token.name,
    scopes: token.scopes.join(' '),
    deposit_id: token.deposit ?? null,
    created: token.created,
    expires: token.expires ?? null,
    parent_id: token.parent ?? null,
  }
}
