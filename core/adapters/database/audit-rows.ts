import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { AuditEntry, AuditReader, AuditWriter, KeptEntry } from '../../ports/audit.ts'
import { preparedInserts } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { AuditRow } from './schema/account-tables.ts'

export function auditReader(db: Kysely<Tables>): AuditReader {
  return {
    list: async ({ who, deposit, since, before, limit }) => {
      let query = db.selectFrom('audit').selectAll()
      if (who !== undefined) query = query.where('who', 'in', who)
      if (deposit !== undefined) query = query.where('deposit_id', '=', deposit)
      if (since !== undefined) query = query.where('id', '>=', idAt(since))
      if (before !== undefined) query = query.where('id', '<', before)
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toEntry)
    },
    count: async () => {
      const all = db.selectFrom('audit').select((row) => row.fn.countAll<number>().as('count'))
      return Number((await all.executeTakeFirstOrThrow()).count)
    },
    merged: async () => {
      const commands = db.selectFrom('audit').select('what').where('who', '=', 'owner')
      const merges = commands.where('what', 'like', 'depositd user merge email=%')
      const rows = await merges.where('failed', 'is', null).execute()
      return new Map(
        rows.flatMap(({ what }) => {
          const [, from, into] = / email=(\S+) into=(\S+)/.exec(what) ?? []
          return from === undefined || into === undefined ? [] : [[from, into] as const]
        }),
      )
    },
  }
}

export function auditWriter(db: Kysely<Tables>): AuditWriter {
  const insert = preparedInserts<AuditRow>(db, (rows) => db.insertInto('audit').values(rows))
  return {
    ...auditReader(db),
    add: (entries) => insert(entries.map(toRow)),
    removeBefore: async (time, most) => {
      const oldest = db.selectFrom('audit').select('id').where('id', '<', idAt(time))
      const some = await oldest.orderBy('id').limit(most).execute()
      const last = some.at(-1)
      if (last) await db.deleteFrom('audit').where('id', '<=', last.id).execute()
      return some.length
    },
    forget: async (who) => {
      await db.updateTable('audit').set({ from_address: null }).where('who', '=', who).execute()
    },
  }
}

/** Digits of the milliseconds since 1970 that an id begins with. */
const timeDigits = 12

/** What ids of that time and later do not come before. */
function idAt(time: string): string {
  return Math.max(0, Date.parse(time)).toString(16).padStart(timeDigits, '0')
}

let latest = 0
let count = 0

/** A name for an entry that comes after those that this process has named before. */
export function newId(now: number): string {
  count = now > latest ? 0 : count + 1
  latest = Math.max(latest, now)
  const order = count.toString(16).padStart(6, '0')
  return `${latest.toString(16).padStart(timeDigits, '0')}${order}${randomUUID().slice(-10)}`
}

function toRow(entry: AuditEntry): AuditRow {
  const now = Date.now()
  return {
    id: newId(now),
    at: new Date(now).toISOString(),
    who: entry.who ?? null,
    token: entry.token ?? null,
    from_address: entry.from ?? null,
    what: entry.what,
    path: entry.on ?? null,
    deposit_id: entry.deposit ?? null,
    was: entry.was ?? null,
    revision: entry.revision ?? null,
    object: entry.object ?? null,
    files: entry.files && entry.files.length > 0 ? JSON.stringify(entry.files) : null,
    status: entry.status ?? null,
    failed: entry.failed ?? null,
    request_id: entry.request_id ?? null,
    times: entry.times ?? null,
  }
}

function toEntry(row: AuditRow): KeptEntry {
  return {
    id: row.id,
    at: row.at,
    ...(row.who !== null && { who: row.who }),
    ...(row.token !== null && { token: row.token }),
    ...(row.from_address !== null && { from: row.from_address }),
    what: row.what,
    ...(row.path !== null && { on: row.path }),
    ...(row.deposit_id !== null && { deposit: row.deposit_id }),
    ...(row.was !== null && { was: row.was }),
    ...(row.revision !== null && { revision: row.revision }),
    ...(row.object !== null && { object: row.object }),
    ...(row.files !== null && { files: JSON.parse(row.files) as readonly string[] }),
    ...(row.status !== null && { status: row.status }),
    ...(row.failed !== null && { failed: row.failed }),
    ...(row.request_id !== null && { request_id: row.request_id }),
    ...(row.times !== null && { times: row.times }),
  }
}
