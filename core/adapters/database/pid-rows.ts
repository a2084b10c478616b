import type { Kysely } from 'kysely'
import { changedAt } from './changed-at.ts'
import type { PidReader, PidWriter } from '../../ports/pids.ts'
import type { PersistentIdentifier, PidName, PidStatus } from '../../pid/deposit-pid.ts'
import { wantOf } from './identifier-outbox.ts'
import { prepared, preparedInserts } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { PidRow } from './schema/deposit-tables.ts'

/** The type of the identifiers of records. */
const recordPidType = 'recid'

export function pidReader(db: Kysely<Tables>): PidReader {
  const select = db.selectFrom('pids').selectAll()
  const byName = prepared(db, (type: string, value: string) =>
    select.where('pid_type', '=', type).where('pid_value', '=', value),
  )
  return {
    find: async ({ type, value }) => {
      const [row] = await byName(type, value)
      return row && fromRow(row)
    },
  }
}

export function pidWriter(db: Kysely<Tables>): PidWriter {
  const update = async (name: PidName, change: Partial<PidRow>, now?: string): Promise<void> => {
    await db
      .updateTable('pids')
      .set(change)
      .where('pid_type', '=', name.type)
      .where('pid_value', '=', name.value)
      .execute()
    // The manifest of a record names its identifier, so it must be rewritten.
    await db
      .updateTable('record_revisions')
      .set((row) => ({
        manifested: 0,
        ...(now !== undefined && changedAt(row, now)),
      }))
      .where('pid_type', '=', name.type)
      .where('pid_value', '=', name.value)
      .where('latest', '=', 1)
      .execute()
    // A record that is withdrawn, moved or back again: its DOI follows.
    if (name.type === recordPidType) await wantOf(db, name.value)
  }
  const insert = preparedInserts(db, (rows: readonly PidRow[]) =>
    db.insertInto('pids').values(rows),
  )
  return {
    ...pidReader(db),
    insert: (...pids) => insert(pids.map(toRow)),
    setStatus: (name, status, now) => update(name, { status }, now),
    redirect: (name, { type, value }, now) =>
      update(name, { status: 'M', redirect_type: type, redirect_value: value }, now),
  }
}

function fromRow(row: PidRow): PersistentIdentifier {
  const { redirect_type: type, redirect_value: value } = row
  return {
    type: row.pid_type,
    value: row.pid_value,
    objectType: row.object_type === 'concept' ? 'concept' : 'rec',
    objectUuid: row.object_uuid,
    status: row.status as PidStatus,
    ...(type !== null && value !== null ? { redirect: { type, value } } : {}),
  }
}

export function toRow(pid: PersistentIdentifier): PidRow {
  return {
    pid_type: pid.type,
    pid_value: pid.value,
    object_type: pid.objectType,
    object_uuid: pid.objectUuid,
    status: pid.status,
    redirect_type: pid.redirect?.type ?? null,
    redirect_value: pid.redirect?.value ?? null,
  }
}
