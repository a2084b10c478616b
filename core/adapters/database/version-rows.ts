import type { Kysely } from 'kysely'
import type { Deposit } from '../../deposit/deposit.ts'
import type { RecordReader, VersionPlace } from '../../ports/database.ts'
import type { PublishedRecord } from '../../record/record.ts'
import { preparedInsert } from './prepared.ts'
import type { DepositRow, RecordRevisionRow, Tables, VersionRow } from './schema/tables.ts'

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

/** The versions of a concept that were published. */
function published(db: Kysely<Tables>, concept: string) {
  return db.selectFrom('versions').where('concept', '=', concept).where('number', 'is not', null)
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

export async function listVersions(
  db: Kysely<Tables>,
  ...[concept, { offset, limit }]: Parameters<RecordReader['versions']>
): ReturnType<RecordReader['versions']> {
  const all = published(db, concept)
  const named = all.select('record').orderBy('number', 'desc')
  const rows = await named.offset(offset).limit(limit).execute()
  const count = all.select((row) => row.fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  return { values: rows.flatMap(({ record }) => record ?? []), total: Number(total) }
}

export function toVersionRow({ id, concept }: Deposit): VersionRow {
  return { deposit_id: id, concept, number: null, record: null }
}

export function versionInserter(db: Kysely<Tables>): (row: VersionRow) => Promise<void> {
  return preparedInsert(db, (row: VersionRow) => db.insertInto('versions').values(row))
}

/** Gives the deposit of a new record its place among the versions. */
export async function placeVersion(
  db: Kysely<Tables>,
  { deposit, concept, number, value: record }: PublishedRecord,
): Promise<void> {
  await db
    .insertInto('versions')
    .values({ deposit_id: deposit.id, concept, number, record })
    .onConflict((known) => known.column('deposit_id').doUpdateSet({ number, record }))
    .execute()
}
