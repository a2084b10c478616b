import { PostgresAdapter, sql, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely'
import type { Offer } from '../../access/rights.ts'
import type { Deposit, DraftDeposit } from '../../deposit/deposit.ts'
import { problem } from '../../errors/errors.ts'
import { notBefore } from '../../ports/clock.ts'
import type { DepositReader, DepositWriter } from '../../ports/database.ts'
import type { Visibility } from '../../search/visibility.ts'
import { depositPidType, parseDepositId, type DepositId } from '../../pid/deposit-pid.ts'
import { documentBytes, inBoundedBatches } from './bounded-batches.ts'
import { chargeBytes } from './charge-bytes.ts'
import { giveUpReserved } from './identifier-rows.ts'
import type { KnownRows } from './known-rows.ts'
import { numberGiver, numberReader } from './number-rows.ts'
import { prepared, preparedChange, preparedInsert } from './prepared.ts'
import type { DepositRow, Tables } from './schema/tables.ts'
import { fromRow, toMakers, toRow } from './deposit-row.ts'
import { isFoundBy, listShared, peopleProjection, sharedWithUser } from './sharing-rows.ts'
import { toVersionRow, versionInserter, wholeDeposits } from './version-rows.ts'

const batchSize = 500

/**
 * Means `hidden is null`, but keeps SQLite from the index on `hidden`, which has every row: for ten
 * ids it would scan all of it, and sort batches that are already in the order of ids.
 */
const isShown = sql<SqlBool>`coalesce(hidden, '') = ''`

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
    return row && { item: fromRow(row), length: row.document.length }
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
      return row && fromRow(row)
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
    list: async ({ visibility, pidType, status, order, offset, limit }) => {
      const listed = db.selectFrom('deposits').select(['id', 'updated']).where('hidden', 'is', null)
      const visible = listed.where(isVisible(visibility)).where(isOfType(pidType))
      const wanted = status === undefined ? visible : visible.where('status', '=', status)
      const direction = order === 'newest' ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const)
      const all = wanted.orderBy('updated', direction[0]).orderBy('id', direction[1])
      if (visibility.of !== 'owner') {
        const rows = await all.offset(offset).limit(limit).execute()
        return rows.map(({ id }) => id as DepositId)
      }
      const shared = await listShared(db, sharedWithUser(db, visibility, pidType, status), {
        order,
        limit: offset + limit,
      })
      // Both are in this order already: as many rows of each are read as the page may need.
      const both = db
        .selectFrom(all.limit(offset + limit).as('owned'))
        .select(['id', 'updated'])
        .unionAll(db.selectFrom(shared.as('shared')).select(['id', 'updated']))
      const rows = await db
        .selectFrom(both.as('both'))
        .select('id')
        .orderBy('updated', direction[0])
        .orderBy('id', direction[1])
        .offset(offset)
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id as DepositId)
    },
    submitted: async ({ visibility, pidType, offset, limit }) => {
      const waiting = db
        .selectFrom('deposits')
        .where('submitted', 'is not', null)
        .where(isShown)
        .where(isVisible(visibility))
        .where(isOfType(pidType))
      const rows = await waiting
        .select('id')
        .orderBy('submitted')
        .orderBy('id')
        .offset(offset)
        .limit(limit)
        .execute()
      const count = waiting.select((row) => row.fn.countAll<number>().as('total'))
      const { total } = await count.executeTakeFirstOrThrow()
      return { ids: rows.map(({ id }) => id as DepositId), total: Number(total) }
    },
    countByStatus: async (visibility, pidType) => {
      const rows = await db
        .selectFrom('deposits')
        .select(['status', (expression) => expression.fn.countAll<number>().as('count')])
        .where('hidden', 'is', null)
        .where(isVisible(visibility))
        .where(isOfType(pidType))
        .groupBy('status')
        .execute()
      const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]))
      if (visibility.of === 'owner') {
        const shared = db
          .selectFrom(sharedWithUser(db, visibility, pidType).as('shared'))
          .select(['status', (expression) => expression.fn.countAll<number>().as('count')])
        for (const { status, count } of await shared.groupBy('status').execute())
          counts.set(status, (counts.get(status) ?? 0) + Number(count))
      }
      return { draft: counts.get('draft') ?? 0, published: counts.get('published') ?? 0 }
    },
    otherPidTypes: async (known) => {
      const others = db.selectFrom('deposits').select('pid_type').where(isOfFurtherEndpoint)
      const found: string[] = []
      // From one type to the next in the index, without reading the rows between.
      for (let last = ''; ;) {
        const next = others.where('pid_type', '>', last).orderBy('pid_type').limit(1)
        const row = await next.executeTakeFirst()
        if (!row) return found.filter((type) => !known.includes(type))
        found.push(row.pid_type)
        last = row.pid_type
      }
    },
    each: (visibility) =>
      visibility.of === 'owner'
        ? eachOfOwner(db, visibility, read)
        : eachInBatches(db, visibility, read),
  }
}

type Read = Pick<DepositReader, 'findAll' | 'measure'>

async function* inOrderOf(ids: readonly DepositId[], { findAll, measure }: Read) {
  for (let start = 0; start < ids.length; start += batchSize) {
    yield* inBoundedBatches(await measure(ids.slice(start, start + batchSize)), findAll)
  }
}

/** The index on the owner is not in the order of ids, so they are sorted once. */
async function* eachOfOwner(
  db: Kysely<Tables>,
  visibility: Extract<Visibility, { readonly of: 'owner' }>,
  read: Read,
): AsyncIterable<Deposit> {
  const visible = db.selectFrom('deposits').where('hidden', 'is', null).where(isVisible(visibility))
  const rows = await visible.select('id').execute()
  const shared = await sharedWithUser(db, visibility).execute()
  const ids = [...rows, ...shared].map(({ id }) => id as DepositId).sort()
  for await (const batch of inOrderOf(ids, read)) {
    for (const deposit of batch) if (isFoundBy(deposit, visibility.user)) yield deposit
  }
}

async function* eachInBatches(
  db: Kysely<Tables>,
  visibility: Visibility,
  read: Read,
): AsyncIterable<Deposit> {
  const shown = db.selectFrom('deposits').select('id').where(isShown).where(isVisible(visibility))
  const batch = shown.orderBy('id').limit(batchSize)
  let last = ''
  for (;;) {
    const rows = await batch.where('id', '>', last).execute()
    const ids = rows.map(({ id }) => id as DepositId)
    for await (const deposits of inOrderOf(ids, read)) yield* deposits
    const end = rows.at(-1)
    if (!end || rows.length < batchSize) return
    last = end.id
  }
}

export function depositWriter(db: Kysely<Tables>): DepositWriter {
  const stored = db.updateTable('deposits')
  const replace = async (row: DepositRow, id: string, revision: number): Promise<bigint> => {
    const change = stored.set(row).where('id', '=', id).where('revision', '=', revision)
    return (await change.executeTakeFirstOrThrow()).numUpdatedRows
  }
  const raise = preparedChange(
    db,
    (revision: number, updated: string, makers: string | null, id: string, before: number) =>
      stored.set({ revision, updated, makers }).where('id', '=', id).where('revision', '=', before),
  )
  const change = async <Kind extends Deposit>(
    deposit: Kind,
    now: string,
    store: (next: Kind) => Promise<bigint>,
  ): Promise<Kind> => {
    const revision = deposit.revision + 1
    const next = { ...deposit, revision, updated: notBefore(deposit.updated, now) }
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

/** As the condition of the index that has these alone: migration 0020. */
const isOfFurtherEndpoint = sql<SqlBool>`pid_type <> ${sql.lit(depositPidType)}`

function isOfType(pidType: string | undefined) {
  return (expression: ExpressionBuilder<Tables, 'deposits'>) => {
    const further = pidType === depositPidType ? [] : [isOfFurtherEndpoint]
    return expression.and(
      pidType === undefined ? [] : [expression('pid_type', '=', pidType), ...further],
    )
  }
}

function isVisible(visibility: Visibility) {
  return (expression: ExpressionBuilder<Tables, 'deposits'>) => {
    const only = (narrowed: { readonly only?: string }) =>
      narrowed.only === undefined ? [] : [expression('id', '=', narrowed.only)]
    switch (visibility.of) {
      case 'owner':
        return expression.and([expression('owner', '=', visibility.user), ...only(visibility)])
      case 'deposits':
        return expression.and(only(visibility))
      case 'records':
        return expression.lit(false)
    }
  }
}
