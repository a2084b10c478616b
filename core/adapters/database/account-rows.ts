import type { Kysely } from 'kysely'
import { isGrantedRole, parseUserId, type Account, type TokenGrant } from '../../access/caller.ts'
import type {
  AccountReader,
  AccountWriter,
  PassphraseReader,
  PassphraseWriter,
  TokenReader,
  TokenWriter,
} from '../../ports/accounts.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { AccountRow, TokenRow, UsageRow } from './schema/account-tables.ts'
import { isScope } from '../../contract/scopes.ts'

export function accountReader(db: Kysely<Tables>): AccountReader {
  const select = db.selectFrom('accounts').selectAll()
  const byId = prepared(db, (id: string) => select.where('id', '=', id), 'id')
  return {
    find: async (id) => toAccount((await byId(id))[0]),
    findByEmail: async (email) =>
      toAccount(await select.where('email', '=', email).executeTakeFirst()),
    findBySubject: async ({ issuer, name }) => {
      const known = select.where('issuer', '=', issuer).where('subject', '=', name)
      return toAccount(await known.executeTakeFirst())
    },
    list: async () => {
      const rows = await select.orderBy('created').orderBy('id').execute()
      return rows.map(accountOf)
    },
    count: async () => {
      const all = db.selectFrom('accounts').select((row) => row.fn.countAll<number>().as('count'))
      return Number((await all.executeTakeFirstOrThrow()).count)
    },
  }
}

export function accountWriter(db: Kysely<Tables>): AccountWriter {
  return {
    ...accountReader(db),
    insert: async (account) => {
      await db.insertInto('accounts').values(toAccountRow(account)).execute()
    },
    update: async (account) => {
      const { id, created: _, issuer, subject, ...changes } = toAccountRow(account)
      const change = db.updateTable('accounts').set(changes)
      await change.where('id', '=', id).execute()
    },
    moveBelongings: async (from, to) => {
      const used = db.selectFrom('usage').select('byte_count').where('owner', '=', from)
      const { byte_count: bytes } = (await used.executeTakeFirst()) ?? {}
      if (bytes !== undefined) await addUsage(db, { owner: to, byte_count: Number(bytes) })
      await db.deleteFrom('usage').where('owner', '=', from).execute()
      await db.updateTable('blobs').set({ owner: to }).where('owner', '=', from).execute()
      await db.updateTable('uploads').set({ owner: to }).where('owner', '=', from).execute()
      const clients = db.updateTable('clients').set({ account_id: to })
      await clients.where('account_id', '=', from).execute()
    },
    moveSignIns: async (from, to) => {
      const tokens = db.updateTable('tokens').set({ account_id: to.id })
      await tokens.where('account_id', '=', from.id).execute()
      // Their changes and comments have one author from now on; of a link's changes, it is the maker.
      const links = db.updateTable('links').set({ created_by: to.id })
      await links.where('created_by', '=', from.id).execute()
      const changes = db.updateTable('history').set({ made_by: to.id })
      await changes.where('made_by', '=', from.id).execute()
      const comments = db.updateTable('review_comments').set({ account_id: to.id })
      await comments.where('account_id', '=', from.id).execute()
      if (!from.subject || to.subject) return
      const identity = (issuer: string | null, subject: string | null, id: string) =>
        db.updateTable('accounts').set({ issuer, subject }).where('id', '=', id).execute()
      await identity(null, null, from.id)
      await identity(from.subject.issuer, from.subject.name, to.id)
    },
    remove: async (id) => {
      const kept = ['tokens', 'passphrases', 'clients', 'answers', 'issuer_entries'] as const
      for (const table of kept) await db.deleteFrom(table).where('account_id', '=', id).execute()
      // Their comments stay, and leave the sums with the account.
      await db.deleteFrom('accounts').where('id', '=', id).execute()
      await db.deleteFrom('usage').where('owner', '=', id).execute()
      // They are sums, of nothing where the user owns no deposit any more.
      const own = db.selectFrom('deposits').select('id').where('owner', '=', id)
      const counted = db.deleteFrom('metadata_usage').where('owner', '=', id)
      await counted.where((row) => row.not(row.exists(own))).execute()
      const invitations = db.updateTable('invitations').set({ invited_by: null })
      await invitations.where('invited_by', '=', id).execute()
    },
  }
}

/** Adds to what an owner uses. */
async function addUsage(db: Kysely<Tables>, usage: UsageRow): Promise<void> {
  await db
    .insertInto('usage')
    .values(usage)
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet((expression) => ({
        byte_count: expression('usage.byte_count', '+', expression.ref('excluded.byte_count')),
      })),
    )
    .execute()
}

function toAccount(row: AccountRow | undefined): Account | undefined {
  return row && accountOf(row)
}

function accountOf(row: AccountRow): Account {
  const { email, created } = row
  return {
    id: parseUserId(row.id),
    email,
    admin: row.admin === 1,
    disabled: row.disabled === 1,
    created,
    ...(row.quota !== null && { quota: Number(row.quota) }),
    ...(row.name !== null && { name: row.name }),
    ...(row.claimed_admin === 1 && { claimedAdmin: true }),
    ...(row.roles !== null && { roles: row.roles.split(' ').filter(isGrantedRole) }),
    ...(row.claimed_roles !== null && {
      claimedRoles: row.claimed_roles.split(' ').filter(isGrantedRole),
    }),
    ...(row.issuer === null || row.subject === null
      ? {}
      : { subject: { issuer: row.issuer, name: row.subject } }),
  }
}

function toAccountRow({
  id,
  email,
  name,
  admin,
  claimedAdmin,
  disabled,
  created,
  subject,
  quota,
  roles = [],
  claimedRoles = [],
}: Account): AccountRow {
  return {
    id,
    email,
    name: name ?? null,
    admin: admin ? 1 : 0,
    claimed_admin: claimedAdmin ? 1 : null,
    disabled: disabled ? 1 : 0,
    created,
    issuer: subject?.issuer ?? null,
    subject: subject?.name ?? null,
    quota: quota ?? null,
    roles: roles.length > 0 ? roles.join(' ') : null,
    claimed_roles: claimedRoles.length > 0 ? claimedRoles.join(' ') : null,
  }
}

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

export function tokenReader(db: Kysely<Tables>): TokenReader {
  const select = db.selectFrom('tokens').selectAll()
  // One question: each request asks it.
  const withAccount = db
    .selectFrom('tokens')
    .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
    .selectAll('accounts')
    .select(tokenColumns)
  const ofHash = (hash: string) => withAccount.where('hash', '=', hash)
  const byHash = prepared(db, ofHash, 'hash', { hasOneWay: true })
  return {
    findByHash: async (hash) => {
      const [row] = await byHash(hash)
      return row && { grant: toGrant(tokenOf(row)), account: accountOf(row) }
    },
    list: async (user) => {
      const wanted = user === undefined ? select : select.where('account_id', '=', user)
      const rows = await wanted.orderBy('created').orderBy('id').execute()
      return rows.map(toGrant)
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
      await db.insertInto('tokens').values(toTokenRow(token)).execute()
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

/** Those of a token beside those of its account: some have the same names. */
const tokenColumns = [
  'tokens.id as token_id',
  'tokens.name as token_name',
  'tokens.created as token_created',
  'hash',
  'account_id',
  'scopes',
  'deposit_id',
  'expires',
  'parent_id',
] as const

type TokenColumns = Omit<TokenRow, 'id' | 'name' | 'created'> & {
  readonly [Name in 'id' | 'name' | 'created' as `token_${Name}`]: TokenRow[Name]
}

function tokenOf({
  token_id: id,
  token_name: name,
  token_created: created,
  ...row
}: TokenColumns): TokenRow {
  return { ...row, id, name, created }
}

function toGrant(row: TokenRow): TokenGrant {
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

function toTokenRow(token: TokenGrant): TokenRow {
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
