import type { Kysely } from 'kysely'
import { parseUserId, type Account } from '../../access/caller.ts'
import type {
  AccountReader,
  AccountWriter,
  PassphraseReader,
  PassphraseWriter,
} from '../../ports/accounts.ts'
import { prepared } from './prepared.ts'
import type { AccountRow, Tables } from './schema/tables.ts'

export function accountReader(db: Kysely<Tables>): AccountReader {
  const select = db.selectFrom('accounts').selectAll()
  const byId = prepared(db, (id: string) => select.where('id', '=', id))
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
      return rows.map(fromRow)
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
      await db.insertInto('accounts').values(toRow(account)).execute()
    },
    update: async (account) => {
      const { email, name, admin, claimed_admin, disabled, quota } = toRow(account)
      const changes = { email, name, admin, claimed_admin, disabled, quota }
      const change = db.updateTable('accounts').set(changes)
      await change.where('id', '=', account.id).execute()
    },
  }
}

function toAccount(row: AccountRow | undefined): Account | undefined {
  return row && fromRow(row)
}

function fromRow(row: AccountRow): Account {
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
    ...(row.issuer === null || row.subject === null
      ? {}
      : { subject: { issuer: row.issuer, name: row.subject } }),
  }
}

function toRow({
  id,
  email,
  name,
  admin,
  claimedAdmin,
  disabled,
  created,
  subject,
  quota,
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
