import { PostgresAdapter, sql, type Kysely } from 'kysely'
import type { Offer } from '../../access/rights.ts'
import type { Deposit, DraftDeposit } from '../../deposit/deposit.ts'
import { withFields } from '../../deposit/document.ts'
import { problem } from '../../errors/errors.ts'
import { notBefore } from '../../ports/clock.ts'
import type { DepositReader, DepositWriter } from '../../ports/deposits.ts'
import { parseDepositId, type DepositId } from '../../pid/deposit-pid.ts'
import { documentBytes, inBoundedBatches } from './bounded-batches.ts'
import { chargeBytes } from './charge-bytes.ts'
import { depositLists, isShown } from './deposit-lists.ts'
import { giveUpReserved } from './identifier-rows.ts'
import type { KnownRows } from './known-rows.ts'
import { numberGiver, numberReader } from './number-rows.ts'
import { prepared, preparedChange, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { DepositRow } from './schema/deposit-tables.ts'
import { fromRow, toMakers, toRow } from './deposit-row.ts'
import { peopleProjection } from './sharing-rows.ts'
import { toVersionRow, versionInserter, wholeDeposits } from './version-rows.ts'

/** @param known where what is read of one connection may be remembered */
export function depositReader(
  db: Kysely<Tables>,
  known?: KnownRows<DepositId, Deposit>,
): DepositReader {
  const select = wholeDeposits(db).where('hidden', 'is', null)
  const shown = wholeDeposits(db).where(isShown)
  const byId = prepared(db, (id: string) => select.where('id', '=', id), 'id')
  const byBucket = prepared(
    db,
    (bucket: string) => select.where('bucket_id', '=', bucket),
    'bucket_id',
  )
  const find = async (id: DepositId): Promise<{ item: Deposit; length: number } | undefined> => {
    const [row] = await byId(id)
    return row && { item: toDeposit(row), length: row.document.length }
  }
  const findAll: DepositReader['findAll'] = async (ids) => {
    if (ids.length === 0) return []
    const rows = await shown.where('id', 'in', ids).execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? []).map(fromRow)
  }
  const measured = db
    .selectFrom('deposits')
    .select(['id', documentBytes.as('bytes')])
    .where(isShown)
  const measure: DepositReader['measure'] = async (ids) => {
    if (ids.length === 0) return []
    const rows = await measured.where('id', 'in', ids).execute()
    const bytes = new Map(rows.map((row) => [row.id, Number(row.bytes)]))
    return ids.flatMap((name) => {
      const size = bytes.get(name)
      return size === undefined ? [] : [{ name, bytes: size }]
    })
  }
  const read = { findAll, measure }
  const nextVersions = async (concept: string): Promise<readonly DraftDeposit[]> => {
    const rows = await select
      .where('concept', '=', concept)
      .where('number', 'is', null)
      .where('predecessor', 'is not', null)
      .orderBy('created')
      .execute()
    return rows.map(fromRow).filter((each) => each.status === 'draft')
  }
  return {
    ...numberReader(db),
    find: known ? (id) => known.get(id, () => find(id)) : async (id) => (await find(id))?.item,
    withdrawn: async (limit) => {
      const select = wholeDeposits(db).where('withdrawal', 'is not', null)
      const rows = await select.orderBy('updated', 'desc').orderBy('id').limit(limit).execute()
      return rows.map(fromRow)
    },
    withdrawnVersions: async (concept) => {
      const versions = wholeDeposits(db).where('concept', '=', concept)
      // Otherwise PostgreSQL goes through all that were withdrawn, of every concept.
      const withdrawn = versions.where(sql<boolean>`coalesce(withdrawal, '') <> ''`)
      return (await withdrawn.execute()).map(fromRow)
    },
    ownedBy: async (user, limit) => {
      const owned = db.selectFrom('deposits').select('id').where('owner', '=', user)
      return (await owned.orderBy('id').limit(limit).execute()).map(({ id }) => parseDepositId(id))
    },
    sharedWith: async (user, limit) => {
      const select = db.selectFrom('deposits').select('id')
      const shared = select.where((row) =>
        row.or(
          (['owners', 'people', 'offer'] as const).map((column) =>
            row(column, 'like', `%"${user}"%`),
          ),
        ),
      )
      return (await shared.orderBy('id').limit(limit).execute()).map(({ id }) => parseDepositId(id))
    },
    countShared: async (owner, user) => {
      const shared = db
        .selectFrom('deposit_people')
        .innerJoin('deposits', 'deposits.id', 'deposit_people.deposit_id')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('deposit_people.user_id', '=', user)
      const own = shared.where('deposits.owner', '=', owner)
      return Number((await own.executeTakeFirstOrThrow()).count)
    },
    countPeople: async (owner) => {
      const shared = db
        .selectFrom('deposits')
        .innerJoin('deposit_people', 'deposit_people.deposit_id', 'deposits.id')
        .select('deposit_people.user_id as user')
        .distinct()
      const people = (await shared.where('deposits.owner', '=', owner).execute()).map(
        ({ user }) => user,
      )
      const own = db.selectFrom('deposits').select('offer').where('owner', '=', owner)
      const offers = await own.where('offer', 'is not', null).where('hidden', 'is', null).execute()
      const offered = offers.map(({ offer }) => (JSON.parse(offer ?? '{}') as Partial<Offer>).to)
      return new Set([...people, ...offered]).size
    },
    madeBy: async (user, after, limit) => {
      const select = db.selectFrom('deposits').select('id').where('id', '>', after)
      const made = select.where((row) =>
        row.or([
          row('created_by', '=', user),
          row('makers', 'like', `%"${user}"%`),
          row('review', 'like', `%"${user}"%`),
        ]),
      )
      return (await made.orderBy('id').limit(limit).execute()).map(({ id }) => parseDepositId(id))
    },
    hiddenBefore: async (time) => {
      const hidden = db.selectFrom('deposits').select('id').where('hidden', '<', time)
      const rows = await hidden.orderBy('hidden').execute()
      return rows.map(({ id }) => id as DepositId)
    },
    findByBucket: async (bucket) => {
      const [row] = await byBucket(bucket)
      return row && toDeposit(row)
    },
    nextVersions,
    findNextVersion: async (concept, owners) =>
      (await nextVersions(concept)).find((draft) => draft.owners.join(' ') === owners.join(' ')),
    findFirstOf: async (concept) => {
      const drafts = select.where('concept', '=', concept).where('number', 'is', null)
      const row = await drafts.where('predecessor', 'is', null).executeTakeFirst()
      return row && fromRow(row)
    },
    findAll,
    measure,
    batchesOf: (found) => inBoundedBatches(found, findAll),
    ...depositLists(db, read),
  }
}

/** Deposits by the rows they were made of, which several who ask at the same time may share. */
const made = new WeakMap<object, Deposit>()

function toDeposit(row: Parameters<typeof fromRow>[0]): Deposit {
  const known = made.get(row)
  if (known) return known
  const deposit = fromRow(row)
  made.set(row, deposit)
  return deposit
}

export function depositWriter(db: Kysely<Tables>): DepositWriter {
  const stored = db.updateTable('deposits')
  const replaceBy = new Map<string, (...values: readonly unknown[]) => Promise<bigint>>()
  const replace = async (row: DepositRow, id: string, revision: number): Promise<bigint> => {
    const columns = Object.keys(row)
    const build = (...values: readonly unknown[]) => {
      const changed = Object.fromEntries(columns.map((column, index) => [column, values[index]]))
      return stored
        .set(changed as unknown as DepositRow)
        .where('id', '=', id)
        .where('revision', '=', revision)
    }
    const known = replaceBy.get(columns.join()) ?? preparedChange(db, build)
    replaceBy.set(columns.join(), known)
    const values: readonly unknown[] = Object.values(row)
    return known(...values, id, revision)
  }
  const raise = preparedChange(
    db,
    (revision: number, updated: string, makers: string | null, id: string, before: number) =>
      stored.set({ revision, updated, makers }).where('id', '=', id).where('revision', '=', before),
    { isSure: true },
  )
  const change = async <Kind extends Deposit>(
    deposit: Kind,
    now: string,
    store: (next: Kind) => Promise<bigint>,
  ): Promise<Kind> => {
    const revision = deposit.revision + 1
    const next = withFields(deposit, { revision, updated: notBefore(deposit.updated, now) })
    if ((await store(next)) === 0n) throw problem('stale_revision', { current: deposit.revision })
    return next
  }
  const insert = preparedInsert(db, (row: DepositRow) => db.insertInto('deposits').values(row))
  const insertVersion = versionInserter(db)
  const giveNumber = numberGiver(db)
  const people = peopleProjection(db)
  const reader = depositReader(db)
  const whole = wholeDeposits(db).where('hidden', 'is', null)
  const locked = prepared(db, (id: string) => whole.where('id', '=', id).forUpdate('deposits'))
  return {
    ...reader,
    // The units of SQLite run one after another.
    lock: !isPostgres(db)
      ? reader.find
      : async (id) => {
          const [row] = await locked(id)
          return row && fromRow(row)
        },
    insert: async (deposit) => {
      await insert(toRow(deposit))
      await insertVersion(toVersionRow(deposit))
      await giveNumber(deposit.id)
      await people.add(deposit)
    },
    save: async (deposit, now) => {
      const saved = await change(deposit, now, (next) =>
        replace(toRow(next), deposit.id, deposit.revision),
      )
      await people.update(saved)
      return saved
    },
    touch: async (deposit, now) => {
      const touched = await change(deposit, now, ({ id, revision, updated }) =>
        raise(revision, updated, toMakers(deposit), id, deposit.revision),
      )
      await people.touch(touched)
      return touched
    },
    charge: (deposit, from, to) => chargeBytes(db, deposit, from, to),
    noteMakers: async (deposit) => {
      const makers = toMakers(deposit)
      await stored.set({ makers }).where('id', '=', deposit.id).execute()
    },
    markIndexed: async (id, indexed) => {
      const mark = { indexed: indexed ? 1 : 0 }
      await db.updateTable('deposits').set(mark).where('id', '=', id).execute()
    },
    hide: async (id, since) => {
      await db.updateTable('deposits').set({ hidden: since }).where('id', '=', id).execute()
      await people.forget(id)
    },
    findHidden: async (id) => {
      const stored = wholeDeposits(db).where('id', '=', id)
      const row = await stored.where('hidden', 'is not', null).executeTakeFirst()
      return row && row.hidden !== null ? { deposit: fromRow(row), since: row.hidden } : undefined
    },
    show: async (id) => {
      const change = db.updateTable('deposits').set({ hidden: null }).where('id', '=', id)
      const { numUpdatedRows } = await change
        .where('hidden', 'is not', null)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) return false
      const shown = await wholeDeposits(db).where('id', '=', id).executeTakeFirst()
      if (shown) await people.add(fromRow(shown))
      return true
    },
    remove: async (id) => {
      await giveUpReserved(db, id)
      await people.forget(id)
      await db.deleteFrom('links').where('deposit_id', '=', id).execute()
      // First: whose metadata they count as is known by the deposit.
      await db.deleteFrom('history').where('deposit_id', '=', id).execute()
      await db.deleteFrom('deposits').where('id', '=', id).execute()
      await db.deleteFrom('versions').where('deposit_id', '=', id).execute()
      await db.deleteFrom('review_comments').where('deposit_id', '=', id).execute()
      await db.deleteFrom('announced_files').where('deposit_id', '=', id).execute()
    },
  }
}

function isPostgres(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
