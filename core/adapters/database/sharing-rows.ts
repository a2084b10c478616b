import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { parseUserId, type UserId } from '../../access/caller.ts'
import type { ShareLink } from '../../access/links.ts'
import { findersOf } from '../../access/rights.ts'
import { firstOwner, type Deposit } from '../../deposit/deposit.ts'
import type {
  InvitationReader,
  InvitationWriter,
  LinkReader,
  LinkWriter,
} from '../../ports/sharing.ts'
import type { Visibility } from '../../search/visibility.ts'
import { later } from '../../ports/clock.ts'
import { prepared, preparedChange, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { DepositPersonRow, LinkRow } from './schema/deposit-tables.ts'

/** Revoked links of a deposit whose holders are told that they have ended. */
const mostRevoked = 100

/** Users asked for at once. */
const batchSize = 500

/**
 * Time that `updated` of `deposit_people` may be behind that of its deposit: writing it for all
 * people at each change of a file would cost more than the change. Milliseconds.
 */
const lagMs = 60_000

/** Keeps `deposit_people` level with what a deposit says. */
export function peopleProjection(db: Kysely<Tables>) {
  const insert = preparedInsert(db, (row: DepositPersonRow) =>
    db.insertInto('deposit_people').values(row),
  )
  const touch = preparedChange(
    db,
    (updated: string, id: string, before: string) =>
      db
        .updateTable('deposit_people')
        .set({ updated })
        .where('deposit_id', '=', id)
        .where('updated', '<=', before),
    { isBlind: true },
  )
  const forget = async (id: string): Promise<void> => {
    await db.deleteFrom('deposit_people').where('deposit_id', '=', id).execute()
  }
  const restore = async (found: Found): Promise<void> => {
    for (const row of toPeopleRows(found)) await insert(row)
  }
  const add = async (deposit: Deposit): Promise<void> => {
    if (isShared(deposit)) await restore(toFound(deposit))
  }
  return {
    add,
    restore,
    forget,
    /** After any change of the deposit that it may concern. */
    update: async (deposit: Deposit): Promise<void> => {
      if (!isShared(deposit)) return
      await forget(deposit.id)
      await add(deposit)
    },
    touch: async (deposit: Deposit): Promise<void> => {
      if (!isShared(deposit)) return
      await touch(deposit.updated, deposit.id, later(deposit.updated, -lagMs))
    },
  }
}

function isShared({ owners, people }: Deposit): boolean {
  return people !== undefined || owners.length > 1
}

/** Who finds a deposit. */
interface Found {
  readonly id: string
  readonly pidType: string
  readonly status: string
  readonly owner: UserId
  readonly finders: readonly UserId[]
  readonly updated: string
}

function toFound(deposit: Deposit): Found {
  return { ...deposit, owner: firstOwner(deposit), finders: findersOf(deposit) }
}

function toPeopleRows(found: Found): readonly DepositPersonRow[] {
  const { id, pidType, status, owner, finders, updated } = found
  const others = new Set(finders.filter((user) => user !== owner))
  return [...others].map((user) => ({
    user_id: user,
    deposit_id: id,
    pid_type: pidType,
    status,
    updated,
  }))
}

/** Deposits that a user finds without being their first owner. */
export function sharedWithUser(
  db: Kysely<Tables>,
  { user, only }: Extract<Visibility, { readonly of: 'owner' }>,
  pidType?: string,
  status?: Deposit['status'],
) {
  let shared = db
    .selectFrom('deposit_people')
    .select(['deposit_id as id', 'status', 'updated'])
    .where('user_id', '=', user)
  if (only !== undefined) shared = shared.where('deposit_id', '=', only)
  if (pidType !== undefined) shared = shared.where('pid_type', '=', pidType)
  return status === undefined ? shared : shared.where('status', '=', status)
}

type Order = 'newest' | 'oldest'

/** As many of the deposits that a user finds by being among their people, in the order of lists. */
export async function listShared(
  db: Kysely<Tables>,
  shared: ReturnType<typeof sharedWithUser>,
  { order, limit }: { readonly order: Order; readonly limit: number },
) {
  const direction = order === 'newest' ? 'desc' : 'asc'
  const inOrder = shared.orderBy('deposit_people.updated', direction)
  const last = await inOrder
    .orderBy('deposit_id', direction === 'desc' ? 'asc' : 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  // A deposit belongs before the last of these if it was changed before or after it, as told by a
  // time that may be behind.
  const end = last && later(last.updated, order === 'newest' ? -lagMs : lagMs)
  const all =
    end === undefined
      ? inOrder.limit(limit)
      : shared.where('deposit_people.updated', order === 'newest' ? '>=' : '<=', end)
  return db
    .selectFrom(all.as('found'))
    .innerJoin('deposits', 'deposits.id', 'found.id')
    .select(['deposits.id', 'deposits.updated'])
    .orderBy('deposits.updated', direction)
    .orderBy('deposits.id', direction === 'desc' ? 'asc' : 'desc')
    .limit(limit)
}

/** Whether a user finds a deposit in their lists. It may have changed since its id was read. */
export function isFoundBy(deposit: Deposit, user: UserId): boolean {
  return firstOwner(deposit) === user || findersOf(deposit).includes(user)
}

export function linkReader(db: Kysely<Tables>): LinkReader {
  const select = db.selectFrom('links').selectAll()
  const byHash = prepared(db, (hash: string) => select.where('hash', '=', hash))
  return {
    findByHash: async (hash) => {
      const [row] = await byHash(hash)
      return row && toLink(row)
    },
    list: async (deposit) => {
      const own = select.where('deposit_id', '=', deposit).where('revoked', 'is', null)
      return (await own.orderBy('created').orderBy('id').execute()).map(toLink)
    },
  }
}

export function linkWriter(db: Kysely<Tables>): LinkWriter {
  return {
    ...linkReader(db),
    insert: async (link) => {
      await db.insertInto('links').values(toLinkRow(link)).execute()
    },
    revokeBy: async (deposit, user, now) => {
      const own = db.updateTable('links').set({ revoked: now }).where('deposit_id', '=', deposit)
      await own.where('created_by', '=', user).where('revoked', 'is', null).execute()
    },
    forgetMaker: async (user, now) => {
      const own = db.updateTable('links').where('created_by', '=', user)
      await own.set({ label: '' }).execute()
      await own.set({ revoked: now }).where('revoked', 'is', null).execute()
    },
    revoke: async (deposit, id, now) => {
      const { numUpdatedRows } = await db
        .updateTable('links')
        .set({ revoked: now })
        .where('id', '=', id)
        .where('deposit_id', '=', deposit)
        .where('revoked', 'is', null)
        .executeTakeFirstOrThrow()
      const ended = db.selectFrom('links').select('id').where('deposit_id', '=', deposit)
      const older = ended.where('revoked', 'is not', null).orderBy('revoked', 'desc').orderBy('id')
      const rows = await older.execute()
      for (const { id: gone } of rows.slice(mostRevoked))
        await db.deleteFrom('links').where('id', '=', gone).execute()
      return numUpdatedRows > 0n
    },
  }
}

function toLink(row: LinkRow): ShareLink {
  return {
    id: row.id,
    deposit: row.deposit_id,
    hash: row.hash,
    role: row.role === 'editor' ? 'editor' : 'reader',
    label: row.label,
    anonymous: row.anonymous === 1,
    createdBy: parseUserId(row.created_by),
    created: row.created,
    expires: row.expires,
    ...(row.revoked !== null && { revoked: row.revoked }),
  }
}

function toLinkRow(link: ShareLink): LinkRow {
  return {
    id: link.id,
    deposit_id: link.deposit,
    hash: link.hash,
    role: link.role,
    label: link.label,
    anonymous: link.anonymous ? 1 : 0,
    created_by: link.createdBy,
    created: link.created,
    expires: link.expires,
    revoked: link.revoked ?? null,
  }
}

export function invitationReader(db: Kysely<Tables>): InvitationReader {
  // Each user is named twice.
  const emails = prepared(db, (...users: readonly string[]) =>
    db
      .selectFrom('accounts')
      .select(['id', 'email'])
      .where('id', 'in', users.slice(0, users.length / 2))
      .unionAll(
        db
          .selectFrom('invitations')
          .select(['account_id as id', 'email'])
          .where('account_id', 'in', users.slice(users.length / 2)),
      ),
  )
  return {
    list: async (limit) => {
      const all = db.selectFrom('invitations').selectAll()
      const rows = await all.orderBy('created', 'desc').orderBy('email').limit(limit).execute()
      return rows.map(({ account_id: user, email, created, invited_by: by }) => ({
        user: parseUserId(user),
        email,
        created,
        ...(by !== null && { by: parseUserId(by) }),
      }))
    },
    count: async () => {
      const all = db.selectFrom('invitations')
      const count = all.select((row) => row.fn.countAll<number>().as('count'))
      return Number((await count.executeTakeFirstOrThrow()).count)
    },
    emailsOf: async (users) => {
      const found = new Map<UserId, string>()
      for (let start = 0; start < users.length; start += batchSize) {
        const some = users.slice(start, start + batchSize)
        for (const { id, email } of await emails(...some, ...some))
          found.set(parseUserId(id), email)
      }
      return found
    },
  }
}

export function invitationWriter(db: Kysely<Tables>): InvitationWriter {
  return {
    ...invitationReader(db),
    find: async (email) => {
      const account = db.selectFrom('accounts').select('id').where('email', '=', email)
      const known = await account.executeTakeFirst()
      const invited = db.selectFrom('invitations').select('account_id as id')
      const found = known ?? (await invited.where('email', '=', email).executeTakeFirst())
      return found && parseUserId(found.id)
    },
    invite: async (email, now, by) => {
      const invitation = { email, account_id: randomUUID(), created: now, invited_by: by ?? null }
      await db.insertInto('invitations').values(invitation).execute()
      return parseUserId(invitation.account_id)
    },
    release: async (user) => {
      const asked = db.selectFrom('invitations').where('account_id', '=', user)
      const unused = asked.select('account_id').where((row) => {
        const roles = row.selectFrom('deposit_people').select('user_id')
        const own = roles.whereRef('deposit_people.user_id', '=', 'invitations.account_id')
        return row.not(row.exists(own))
      })
      const ids = (await unused.execute()).map(({ account_id: id }) => id)
      if (ids.length === 0) return
      // Offers, and deposits that are deleted for the time being, are in no projection. They are few.
      const offered = db.selectFrom('deposits').select(['people', 'offer'])
      const texts = [
        ...(await offered.where('offer', 'is not', null).execute()),
        ...(await offered.where('hidden', 'is not', null).execute()),
      ].map(({ people, offer }) => `${people} ${offer}`)
      const gone = ids.filter((id) => !texts.some((text) => text.includes(id)))
      if (gone.length === 0) return
      await db.deleteFrom('invitations').where('account_id', 'in', gone).execute()
    },
    take: async (email) => {
      const used = db.deleteFrom('invitations').where('email', '=', email).returning('account_id')
      const row = await used.executeTakeFirst()
      return row && parseUserId(row.account_id)
    },
  }
}
