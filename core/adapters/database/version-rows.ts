import { sql, type Kysely, type SqlBool } from 'kysely'
import type { Deposit } from '../../deposit/deposit.ts'
import type { RecordReader, VersionPlace } from '../../ports/records.ts'
import type { PublishedRecord } from '../../record/record.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { DepositRow, RecordRevisionRow, VersionRow } from './schema/deposit-tables.ts'

/** Rows of deposits, with the concept of each. */
export function wholeDeposits(db: Kysely<Tables>) {
  return db
    .selectFrom('deposits')
    .leftJoin('versions', 'versions.deposit_id', 'deposits.id')
    .selectAll('deposits')
    .select('concept')
}

export type WholeDeposit = DepositRow & Joined<'concept'>

/** Revisions, with the place of their record among the versions of its concept. */
export function wholeRevisions(db: Kysely<Tables>) {
  return db
    .selectFrom('record_revisions')
    .leftJoin('versions', 'versions.record', 'record_revisions.pid_value')
    .selectAll('record_revisions')
    .select(['concept', 'number'])
}

export type WholeRevision = RecordRevisionRow & Joined<'concept' | 'number'>

type Joined<Names extends keyof VersionRow> = {
  readonly [Name in Names]: VersionRow[Name] | null
}

/** Values of the records whose identifier leads to another, or that were withdrawn. */
export function movedValues(db: Kysely<Tables>) {
  return db
    .selectFrom('pids')
    .select('pids.pid_value')
    .where('pids.pid_type', '=', sql.lit('recid'))
    .where(isUnlisted)
}

/** As the condition of the index that has these alone: migration 0027. */
const isUnlisted = sql<SqlBool>`pids.status in ('M', 'D') and pids.object_type = 'rec'`

/** The versions of a concept that are listed. */
function published(db: Kysely<Tables>, concept: string) {
  const numbered = db.selectFrom('versions').where('concept', '=', concept)
  return numbered.where('number', 'is not', null).where('record', 'not in', movedValues(db))
}

/** The newest version that is listed; none where no version is. */
export async function newestListed(
  db: Kysely<Tables>,
  concept: string,
): Promise<readonly string[]> {
  const newest = published(db, concept).select('record').orderBy('number', 'desc').limit(1)
  return (await newest.execute()).flatMap(({ record }) => record ?? [])
}

export async function setSuperseded(
  db: Kysely<Tables>,
  values: readonly string[],
  superseded: 0 | 1,
): Promise<void> {
  if (values.length === 0) return
  const change = db.updateTable('record_revisions').set({ superseded })
  await change.where('pid_value', 'in', values).execute()
}

/** @see RecordWriter.showNewest */
export async function showNewest(
  db: Kysely<Tables>,
  concept: string,
  before: readonly string[],
): Promise<readonly string[]> {
  const newest = await newestListed(db, concept)
  const older = before.filter((value) => !newest.includes(value))
  await setSuperseded(db, older, 1)
  await setSuperseded(db, newest, 0)
  return [...older, ...newest]
}

export async function findNext(
  db: Kysely<Tables>,
  { concept, number, superseded }: VersionPlace,
): Promise<string | undefined> {
  if (!superseded) return undefined
  const later = published(db, concept).select('record').where('number', '>', number)
  const next = await later.orderBy('number').limit(1).executeTakeFirst()
  return next?.record ?? undefined
}

export function previousFinder(
  db: Kysely<Tables>,
): (place: VersionPlace) => Promise<string | undefined> {
  const last = prepared(db, (concept: string, number: number) =>
    published(db, concept)
      .select('record')
      .where('number', '<', number)
      .orderBy('number', 'desc')
      .limit(sql.lit(1)),
  )
  return async ({ concept, number }) => (await last(concept, number))[0]?.record ?? undefined
}

export async function listVersions(
  db: Kysely<Tables>,
  ...[concept, { offset, limit }]: Parameters<RecordReader['versions']>
): ReturnType<RecordReader['versions']> {
  const all = published(db, concept)
  const named = all.select('record').orderBy('number', 'desc')
  const rows = await named.offset(offset).limit(limit).execute()
  const values = rows.flatMap(({ record }) => record ?? [])
  // The last page tells how many there are.
  if (values.length < limit && (values.length > 0 || offset === 0))
    return { values, total: offset + values.length }
  const count = all.select((row) => row.fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  return { values, total: Number(total) }
}

export function toVersionRow({ id, concept }: Deposit): VersionRow {
  return { deposit_id: id, concept, number: null, record: null }
}

export function versionInserter(db: Kysely<Tables>): (row: VersionRow) => Promise<void> {
  return preparedInsert(db, (row: VersionRow) => db.insertInto('versions').values(row))
}

/** Gives the deposit of a new record its place among the versions. */
export function versionPlacer(db: Kysely<Tables>): (record: PublishedRecord) => Promise<void> {
  const place = preparedInsert(
    db,
    (row: VersionRow) =>
      db
        .insertInto('versions')
        .values(row)
        .onConflict((known) =>
          known.column('deposit_id').doUpdateSet((next) => ({
            number: next.ref('excluded.number'),
            record: next.ref('excluded.record'),
          })),
        ),
    { isSeen: true },
  )
  return ({ deposit, concept, number, value: record }) =>
    place({ deposit_id: deposit.id, concept, number, record })
}
