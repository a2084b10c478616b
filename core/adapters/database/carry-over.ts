import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { rowBytes, type BucketId } from '../../files/file.ts'
import { preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { BucketRow, FileRow } from './schema/file-tables.ts'

/** Rows that one statement copies: some milliseconds of SQLite, which runs on the event loop. */
const copiedAtOnce = 1000

/**
 * Lets a bucket hold the latest versions of another; the rows are new, the blobs are shared.
 *
 * The database copies the rows by itself. Other requests are served between two statements, while
 * other units of work wait for the whole of this one.
 *
 * @returns bytes that the new rows count
 */
export async function carryOver(db: Kysely<Tables>, from: BucketId, to: BucketId): Promise<number> {
  let ofRows = 0
  for (let after: string | undefined = ''; after !== undefined;) {
    const { upTo, bytes } = await findPart(db, from, after)
    await copyFiles(db, from, to, { after, upTo })
    ofRows += bytes
    after = upTo
    if (after !== undefined) await setImmediate()
  }
  const total = await db.selectFrom('buckets').selectAll().where('id', '=', from).executeTakeFirst()
  if (total) await bucketCounter(db)({ ...total, id: to, byte_count: Number(total.byte_count) })
  return ofRows
}

/** As many files as are copied at once: up to where they go, undefined where fewer are left. */
async function findPart(
  db: Kysely<Tables>,
  bucket: BucketId,
  after: string,
): Promise<{ readonly upTo: string | undefined; readonly bytes: number }> {
  const part = db
    .selectFrom('files')
    .select('key')
    .where('bucket_id', '=', bucket)
    .where('key', '>', after)
    .orderBy('key')
    .limit(copiedAtOnce)
  const { count, last, bytes } = await db
    .selectFrom(part.as('part'))
    .select(({ fn }) => [
      fn.countAll().as('count'),
      fn.max<string | null>('key').as('last'),
      sql<number | null>`sum(octet_length(key))`.as('bytes'),
    ])
    .executeTakeFirstOrThrow()
  const isWhole = Number(count) === copiedAtOnce
  return {
    upTo: isWhole && last !== null ? last : undefined,
    bytes: Number(count) * rowBytes + Number(bytes ?? 0),
  }
}

/** A part of a bucket's keys, in the order that the database gives them. */
interface Keys {
  readonly after: string
  /** Undefined for all that are left. */
  readonly upTo: string | undefined
}

async function copyFiles(
  db: Kysely<Tables>,
  from: BucketId,
  to: BucketId,
  { after, upTo }: Keys,
): Promise<void> {
  const all = db.selectFrom('files').where('bucket_id', '=', from).where('key', '>', after)
  const some = upTo === undefined ? all : all.where('key', '<=', upTo)
  const rows = some.select((expression) => [
    newIds().as('id'),
    sql<string>`${to}`.as('bucket_id'),
    'key',
    'position',
    expression.lit(null).as('published_position'),
    newIds().as('version_id'),
    'blob_id',
    'storage_class',
    'created',
  ])
  await db.insertInto('files').columns(columns).expression(rows).execute()
}

const columns = [
  'id',
  'bucket_id',
  'key',
  'position',
  'published_position',
  'version_id',
  'blob_id',
  'storage_class',
  'created',
] as const satisfies readonly (keyof FileRow)[]

/**
 * A UUID for each row that is selected, made by any database: they share all digits but the last
 * twelve, which number the rows. So no two are the same, and an index takes them in at one place.
 */
function newIds() {
  const head = randomUUID().slice(0, -12)
  const number = sql`1000000000000 + row_number() over (order by key)`
  return sql<string>`${head} || substr(cast(${number} as text), 2)`
}

/** Adds to the totals of a bucket, which begin with its first file. */
export function bucketCounter(db: Kysely<Tables>): (row: BucketRow) => Promise<void> {
  return preparedInsert(db, (row: BucketRow) =>
    db
      .insertInto('buckets')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((expression) => ({
          file_count: expression('buckets.file_count', '+', expression.ref('excluded.file_count')),
          byte_count: expression('buckets.byte_count', '+', expression.ref('excluded.byte_count')),
        })),
      ),
  )
}
