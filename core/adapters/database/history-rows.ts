import { sql, type Kysely } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import type { ChangeOperation } from '../../deposit/changes.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type {
  HistoryEntry,
  HistoryReader,
  HistoryWriter,
  StoredChange,
} from '../../ports/history.ts'
import { inBoundedBatches } from './bounded-batches.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { HistoryRow } from './schema/deposit-tables.ts'

/** Changes of a deposit that are kept for as long as it is configured. */
const mostKept = 200

/** Changes of a deposit that are kept as long as they are young. */
const mostYoung = 1000

/** Age up to which a change is young. Milliseconds. */
const youngMs = 2 * 86_400_000

/** Bytes of the patches of a deposit, both ways; the last change is kept whatever it has. */
const mostBytes = 8 * 1024 * 1024

/** Changes between two looks at whether there are too many. */
const trimmedEach = 16

/** Bytes of a change from which on it is looked at once. */
const largeBytes = 64 * 1024

/** Rows removed at once. */
const batchSize = 500

/** Bytes of the patches of a row, known without reading them. */
const patchBytes = sql<number>`octet_length(patch) + octet_length(undo)`

export function historyReader(db: Kysely<Tables>): HistoryReader {
  const rows = db.selectFrom('history')
  const newest = prepared(db, (deposit: string) =>
    rows.selectAll().where('deposit_id', '=', deposit).orderBy('n', 'desc').limit(sql.lit(1)),
  )
  return {
    list: async (deposit) => {
      const found = await rows
        .select(['n', patchBytes.as('bytes')])
        .where('deposit_id', '=', deposit)
        .orderBy('n', 'desc')
        .execute()
      return found.map(({ n, bytes }) => ({ name: n, bytes: Number(bytes) }))
    },
    batchesOf: (deposit, found) =>
      inBoundedBatches(found, async (names) => {
        const named = rows.selectAll().where('deposit_id', '=', deposit).where('n', 'in', names)
        return (await named.orderBy('n', 'desc').execute()).map(toStored)
      }),
    latest: async (deposit) => {
      const [row] = await newest(deposit)
      return row && toEntry(row)
    },
    wayBack: async (deposit, n) => {
      const later = rows.select('undo').where('deposit_id', '=', deposit).where('n', '>', n)
      return (await later.orderBy('n', 'desc').execute()).map(({ undo }) => toPatch(undo))
    },
    begin: async (deposit) => {
      const oldest = rows.select('since').where('deposit_id', '=', deposit).orderBy('n').limit(1)
      return (await oldest.executeTakeFirst())?.since
    },
    bytesOf: async (owner) => {
      const { bytes } = await rows
        .innerJoin('deposits', 'deposits.id', 'history.deposit_id')
        .select(sql<number | null>`sum(octet_length(patch) + octet_length(undo))`.as('bytes'))
        .where('owner', '=', owner)
        .executeTakeFirstOrThrow()
      return Number(bytes ?? 0)
    },
  }
}

export function historyWriter(db: Kysely<Tables>): HistoryWriter {
  const insert = preparedInsert(db, (row: HistoryRow) => db.insertInto('history').values(row))
  const lastOf = prepared(db, (deposit: string) =>
    db
      .selectFrom('history')
      .select(['n', 'ordinal', 'total'])
      .where('deposit_id', '=', deposit)
      .orderBy('n', 'desc')
      .limit(sql.lit(1)),
  )
  return {
    ...historyReader(db),
    add: async (entry) => {
      const [last] = await lastOf(entry.deposit)
      const patches = { patch: JSON.stringify(entry.patch), undo: JSON.stringify(entry.undo) }
      const bytes = Buffer.byteLength(patches.patch) + Buffer.byteLength(patches.undo)
      const row = {
        ...toRow(entry),
        ...patches,
        since: last?.n ?? entry.since,
        ordinal: (last?.ordinal ?? 0) + 1,
        total: Number(last?.total ?? 0) + bytes,
      }
      await insert(row)
      if (bytes >= largeBytes || row.ordinal % trimmedEach === 0) await trim(db, row)
      return bytes
    },
    removeAll: async (deposit) => {
      await db.deleteFrom('history').where('deposit_id', '=', deposit).execute()
    },
    removeBefore: async (time) => {
      const old = db.selectFrom('history').select(['deposit_id', 'n']).where('at', '<', time)
      const rows = await old.orderBy('at').limit(batchSize).execute()
      for (const row of rows) await removeUpTo(db, row)
      return rows.length
    },
    giveUp: async (owner, bytes) => {
      for (let left = bytes; left > 0;) {
        const rows = await oldestOf(db, owner)
        for (const row of rows) {
          if (left <= 0) return
          left -= await removeUpTo(db, row)
        }
        if (rows.length === 0) return
      }
    },
  }
}

type Named = Pick<HistoryRow, 'deposit_id' | 'n'>

/** Removes a change and those before it, without which it is of no use; answers their bytes. */
async function removeUpTo(db: Kysely<Tables>, { deposit_id: id, n }: Named): Promise<number> {
  const rows = await db
    .deleteFrom('history')
    .where('deposit_id', '=', id)
    .where('n', '<=', n)
    .returning(patchBytes.as('bytes'))
    .execute()
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
}

function oldestOf(db: Kysely<Tables>, owner: string): Promise<readonly Named[]> {
  return db
    .selectFrom('history')
    .innerJoin('deposits', 'deposits.id', 'history.deposit_id')
    .select(['history.deposit_id', 'history.n'])
    .where('owner', '=', owner)
    .orderBy('history.at')
    .orderBy('history.n')
    .limit(batchSize)
    .execute()
}

/** Removes the oldest changes of a deposit that are too many, or too large. */
async function trim(db: Kysely<Tables>, last: HistoryRow): Promise<void> {
  const young = new Date(Date.parse(last.at) - youngMs).toISOString()
  await db
    .deleteFrom('history')
    .where('deposit_id', '=', last.deposit_id)
    .where('n', '<', last.n)
    .where((row) =>
      row.or([
        row('ordinal', '<=', last.ordinal - mostYoung),
        row.and([row('ordinal', '<=', last.ordinal - mostKept), row('at', '<', young)]),
        // The bytes of this change and all after it.
        row(sql<number>`${last.total} - total + ${patchBytes}`, '>', mostBytes),
      ]),
    )
    .execute()
}

function toEntry(row: HistoryRow): HistoryEntry {
  return { ...toStored(row), patch: toPatch(row.patch), undo: toPatch(row.undo) }
}

function toStored(row: HistoryRow): StoredChange {
  return {
    deposit: row.deposit_id as DepositId,
    n: row.n,
    since: row.since,
    at: row.at,
    by: row.made_by as UserId | 'system',
    action: row.action,
    ...(row.undone_to !== null && { to: row.undone_to }),
    ...(row.record_revision !== null && { published: row.record_revision }),
    patch: row.patch,
    undo: row.undo,
  }
}

function toPatch(text: string): readonly ChangeOperation[] {
  return JSON.parse(text) as readonly ChangeOperation[]
}

function toRow(entry: HistoryEntry) {
  return {
    deposit_id: entry.deposit,
    n: entry.n,
    at: entry.at,
    made_by: entry.by,
    action: entry.action,
    undone_to: entry.to ?? null,
    record_revision: entry.published ?? null,
  }
}
