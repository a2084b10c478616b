import { sql, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely'
import type { Deposit } from '../../deposit/deposit.ts'
import { depositPidType, type DepositId } from '../../pid/deposit-pid.ts'
import type { DepositReader } from '../../ports/deposits.ts'
import type { Visibility } from '../../search/visibility.ts'
import { inBoundedBatches } from './bounded-batches.ts'
import type { Tables } from './schema/tables.ts'
import { isFoundBy, listShared, sharedWithUser } from './sharing-rows.ts'

const batchSize = 500

/**
 * Means `hidden is null`, but keeps SQLite from the index on `hidden`, which has every row: for ten
 * ids it would scan all of it, and sort batches that are already in the order of ids.
 */
export const isShown = sql<SqlBool>`coalesce(hidden, '') = ''`

type Read = Pick<DepositReader, 'findAll' | 'measure'>

/** The lists of deposits that somebody may see, and what is counted of them. */
export function depositLists(
  db: Kysely<Tables>,
  read: Read,
): Pick<DepositReader, 'list' | 'submitted' | 'countByStatus' | 'otherPidTypes' | 'each'> {
  return {
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
      const counted = db
        .selectFrom('deposits')
        .select(['status', (expression) => expression.fn.countAll<number>().as('count')])
        .where('hidden', 'is', null)
        .where(isVisible(visibility))
        .where(isOfType(pidType))
        .groupBy('status')
        .execute()
      const shared =
        visibility.of === 'owner'
          ? db
              .selectFrom(sharedWithUser(db, visibility, pidType).as('shared'))
              .select(['status', (expression) => expression.fn.countAll<number>().as('count')])
              .groupBy('status')
              .execute()
          : []
      const counts = new Map<string, number>()
      for (const { status, count } of (await Promise.all([counted, shared])).flat())
        counts.set(status, (counts.get(status) ?? 0) + Number(count))
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
