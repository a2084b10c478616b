import { sql, type Kysely, type SqlBool } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import { canonicalDocument } from '../../json/canonical.ts'
import { withDocument } from '../../deposit/document.ts'
import { problem } from '../../errors/errors.ts'
import type { BucketId } from '../../files/file.ts'
import type { RecordReader, RecordWriter } from '../../ports/records.ts'
import type { DepositDump, PublishedRecord } from '../../record/record.ts'
import { depositPidType, type DepositId } from '../../pid/deposit-pid.ts'
import { documentBytes, inBoundedBatches } from './bounded-batches.ts'
import type { KnownRows } from './known-rows.ts'
import { changedAt } from './changed-at.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { RecordRevisionRow } from './schema/deposit-tables.ts'
import {
  findNext,
  listVersions,
  movedValues,
  newestListed,
  previousFinder,
  setSuperseded,
  showNewest,
  versionPlacer,
  wholeRevisions,
  type WholeRevision,
} from './version-rows.ts'

const batchSize = 500

/** @param known where the latest revisions may be remembered that are read of one connection */
export function recordReader(
  db: Kysely<Tables>,
  known?: KnownRows<string, PublishedRecord>,
): RecordReader {
  const select = wholeRevisions(db)
  // The sign keeps SQLite from the index on `latest`, which has every row: for a dozen values it
  // would scan all of it, and sort batches that are already in the order of values.
  const byValue = select.where(sql<SqlBool>`+latest = 1`)
  const listedByValue = byValue.where('pid_value', 'not in', movedValues(db))
  const newestOf = (versions: typeof byValue) =>
    prepared(db, (concept: string) =>
      versions
        .where('concept', '=', concept)
        .where('number', 'is not', null)
        .orderBy('number', 'desc')
        .limit(sql.lit(1)),
    )
  const [newestVersion, newestShown] = [newestOf(byValue), newestOf(listedByValue)]
  const named = prepared(db, (value: string) => byValue.where('pid_value', '=', value))
  const ofBucket = prepared(db, (bucket: string) =>
    select.where('latest', '=', sql.lit(1)).where('bucket_id', '=', bucket),
  )
  const find = async (value: string) => {
    const [row] = await named(value)
    return row && { item: fromRow(row), length: row.document.length }
  }
  const valuesOf = (from: typeof byValue) =>
    prepared(db, (...values: readonly string[]) => from.where('pid_value', 'in', values))
  const [all, shown] = [valuesOf(byValue), valuesOf(listedByValue)]
  const readAll = async (from: typeof all, values: readonly string[]) => {
    if (values.length === 0) return []
    const rows = await from(...values)
    const found = new Map(rows.map((row) => [row.pid_value, row]))
    return values.flatMap((value) => found.get(value) ?? []).map(fromRow)
  }
  const findAll: RecordReader['findAll'] = (values) => readAll(shown, values)
  const measured = db
    .selectFrom('record_revisions')
    .select(['pid_value', documentBytes.as('bytes')])
    .where(sql<SqlBool>`+latest = 1`)
  const measure: RecordReader['measure'] = async (values) => {
    if (values.length === 0) return []
    const rows = await measured.where('pid_value', 'in', values).execute()
    const bytes = new Map(rows.map((row) => [row.pid_value, Number(row.bytes)]))
    return values.flatMap((name) => {
      const size = bytes.get(name)
      return size === undefined ? [] : [{ name, bytes: size }]
    })
  }
  return {
    find: known
      ? (value) => known.get(value, () => find(value))
      : async (value) => (await find(value))?.item,
    findByBucket: async (bucket) => toRecord((await ofBucket(bucket))[0]),
    findRevision: async (value, revision) => {
      const named = select.where('pid_value', '=', value).where('revision', '=', revision)
      return toRecord(await named.executeTakeFirst())
    },
    revisions: async (value, from) => {
      const rows = await db
        .selectFrom('record_revisions')
        .select(['revision', documentBytes.as('bytes')])
        .where('pid_value', '=', value)
        .where('revision', '>=', from)
        .orderBy('revision')
        .execute()
      return rows.map(({ revision, bytes }) => ({ name: revision, bytes: Number(bytes) }))
    },
    revisionNumbers: async (values) => {
      const found = new Map<string, Set<number>>()
      if (values.length === 0) return found
      const rows = await db
        .selectFrom('record_revisions')
        .select(['pid_value', 'revision'])
        .where('pid_value', 'in', values)
        .execute()
      for (const { pid_value: value, revision } of rows)
        found.set(value, (found.get(value) ?? new Set()).add(revision))
      return found
    },
    revisionBatches: (value, found) =>
      inBoundedBatches(found, async (revisions) => {
        const named = select.where('pid_value', '=', value).where('revision', 'in', revisions)
        return (await named.orderBy('revision').execute()).map(fromRow)
      }),
    findAll,
    measure,
    batchesOf: (found, which) =>
      inBoundedBatches(found, (values) => readAll(which === 'withMoved' ? all : shown, values)),
    list: async ({ order, offset, limit, isNewest }) => {
      const direction = order === 'newest' ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const)
      const rows = await db
        .selectFrom('record_revisions')
        .select('pid_value')
        .where(isNewest ? newest : sql<SqlBool>`latest = 1`)
        .where('pid_value', 'not in', movedValues(db))
        .orderBy('updated', direction[0])
        .orderBy('pid_value', direction[1])
        .offset(offset)
        .limit(limit)
        .execute()
      return rows.map((row) => row.pid_value)
    },
    changes: async ({ from, until, after, withMoved = false, offset = 0, limit }) => {
      let rows = db
        .selectFrom('record_revisions')
        .select(['pid_value as value', 'updated'])
        .where('latest', '=', 1)
        .$if(withMoved, (each) =>
          each.select((row) => row('pid_value', 'in', movedValues(db)).as('isMoved')),
        )
      if (!withMoved) rows = rows.where('pid_value', 'not in', movedValues(db))
      // One lower bound is enough for the index, and the later one is the better.
      const start = after?.updated ?? from
      if (start !== undefined) rows = rows.where('updated', '>=', start)
      if (until !== undefined) rows = rows.where('updated', '<=', until)
      if (after)
        rows = rows.where((row) =>
          row.or([row('updated', '>', after.updated), row('pid_value', '<', after.value)]),
        )
      // The order of an index read backwards.
      const ordered = rows.orderBy('updated').orderBy('pid_value', 'desc')
      const found = await ordered.offset(offset).limit(limit).execute()
      return found.map(({ value, updated, isMoved }) => ({
        value,
        updated,
        ...(withMoved && { isMoved: Boolean(isMoved) }),
      }))
    },
    count: async ({ isNewest } = {}) => {
      const { count } = await db
        .selectFrom('record_revisions')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where(isNewest ? newest : sql<SqlBool>`latest = 1`)
        .where('pid_value', 'not in', movedValues(db))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    findNewest: async (concept) =>
      toRecord((await newestShown(concept))[0] ?? (await newestVersion(concept))[0]),
    findLast: async (concept) => toRecord((await newestVersion(concept))[0]),
    findNext: (place) => findNext(db, place),
    findPrevious: previousFinder(db),
    versions: (concept, page) => listVersions(db, concept, page),
    eachListed: () => inBatches(listedByValue, measure),
    each: () => inBatches(byValue, measure),
  }
}

/** As the condition of the index that has these alone: migration 0024. */
const newest = sql<SqlBool>`latest = 1 and superseded = 0`

async function* inBatches(
  rows: ReturnType<typeof wholeRevisions>,
  measure: RecordReader['measure'],
): AsyncIterable<PublishedRecord> {
  const names = rows.clearSelect().select('pid_value').orderBy('pid_value').limit(batchSize)
  const read = async (values: readonly string[]): Promise<readonly PublishedRecord[]> => {
    const found = await rows.where('pid_value', 'in', values).orderBy('pid_value').execute()
    return found.map(fromRow)
  }
  let last = ''
  for (;;) {
    const values = (await names.where('pid_value', '>', last).execute()).map((row) => row.pid_value)
    for await (const records of inBoundedBatches(await measure(values), read)) yield* records
    const end = values.at(-1)
    if (end === undefined || values.length < batchSize) return
    last = end
  }
}

export function recordWriter(db: Kysely<Tables>): RecordWriter {
  const insert = preparedInsert(
    db,
    (row: RecordRevisionRow) => db.insertInto('record_revisions').values(row),
    { isSeen: true },
  )
  const place = versionPlacer(db)
  const insertRevision = (record: PublishedRecord): Promise<void> => insert(toRow(record))
  return {
    ...recordReader(db),
    insert: async (record) => {
      const { concept, predecessor } = record
      const shown = predecessor === undefined ? [] : await newestListed(db, concept)
      await insertRevision(record)
      await place(record)
      if (predecessor === undefined) return []
      const superseded = [...new Set([predecessor, ...shown])]
      await setSuperseded(db, superseded, 1)
      return superseded
    },
    showNewest: (concept, before) => showNewest(db, concept, before),
    touch: async (values, now) => {
      if (values.length === 0) return
      await db
        .updateTable('record_revisions')
        .set((row) => ({
          manifested: 0,
          ...changedAt(row, now),
        }))
        .where(sql<SqlBool>`+latest = 1`)
        .where('pid_value', 'in', values)
        .execute()
    },
    addRevision: async (record) => {
      const { numUpdatedRows } = await db
        .updateTable('record_revisions')
        .set({ latest: 0 })
        .where('pid_value', '=', record.value)
        .where('revision', '=', record.revision - 1)
        .where('latest', '=', 1)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) throw problem('stale_revision', { current: record.revision })
      await insertRevision(record)
    },
  }
}

function toRecord(row: WholeRevision | undefined): PublishedRecord | undefined {
  return row && fromRow(row)
}

/** The dump as it is stored: in the words of the wire, so that the row can be read by itself. */
interface StoredDump {
  readonly id: string
  /** Absent where it is `depid`. */
  readonly pid_type?: string
  readonly owners: readonly string[]
  readonly created_by: string
  readonly pid?: number
}

export function fromRow(row: WholeRevision): PublishedRecord {
  const fields = {
    type: row.pid_type,
    value: row.pid_value,
    revision: row.revision,
    schema: row.schema_path,
    deposit: toDump(JSON.parse(row.deposit) as StoredDump),
    bucket: row.bucket_id as BucketId,
    concept: row.concept ?? '',
    number: row.number ?? 1,
    ...(row.predecessor === null ? {} : { predecessor: row.predecessor }),
    superseded: row.superseded === 1,
    created: row.created,
    updated: row.updated,
    ...(row.made === null ? {} : { made: row.made }),
  }
  return withDocument(fields, row.document, row.digest)
}

function toDump({ id, pid_type, owners, created_by, pid }: StoredDump): DepositDump {
  return {
    id: id as DepositId,
    pidType: pid_type ?? depositPidType,
    owners: owners as readonly UserId[],
    createdBy: created_by as UserId,
    ...(pid === undefined ? {} : { base: pid }),
  }
}

function fromDump({ id, pidType, owners, createdBy, base }: DepositDump): StoredDump {
  return {
    id,
    ...(pidType === depositPidType ? {} : { pid_type: pidType }),
    owners,
    created_by: createdBy,
    ...(base === undefined ? {} : { pid: base }),
  }
}

export function toRow(record: PublishedRecord): RecordRevisionRow {
  const { text, digest } = canonicalDocument(record.metadata)
  return {
    pid_type: record.type,
    pid_value: record.value,
    revision: record.revision,
    latest: 1,
    bucket_id: record.bucket,
    schema_path: record.schema,
    document: text,
    digest,
    deposit: JSON.stringify(fromDump(record.deposit)),
    predecessor: record.predecessor ?? null,
    created: record.created,
    updated: record.updated,
    made: record.made ?? null,
    manifested: 0,
    superseded: record.superseded ? 1 : 0,
  }
}
