import type { Kysely, Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Blob, BlobId, BucketId } from '../../files/file.ts'
import type { BlobReader } from '../../ports/database.ts'
import type { BlobRow, Tables, UsageRow } from './schema/tables.ts'
import type { UsageReader } from '../../ports/uploads.ts'
import { prepared, preparedInsert } from './prepared.ts'

/** Rows read at once where all of them are walked through. */
const batchSize = 500

export function blobReader(db: Kysely<Tables>): BlobReader {
  const select = db.selectFrom('blobs').selectAll()
  return {
    find: async (id) => {
      const row = await select.where('id', '=', id).executeTakeFirst()
      return row && toBlob(row)
    },
    each: async function* () {
      let last = ''
      for (;;) {
        const rows = await select.where('id', '>', last).orderBy('id').limit(batchSize).execute()
        for (const row of rows) yield toBlob(row)
        const end = rows.at(-1)
        if (!end || rows.length < batchSize) return
        last = end.id
      }
    },
  }
}

export function toBlob(row: Pick<BlobRow, 'id' | 'size' | 'sha256' | 'digests'>): Blob {
  return {
    id: row.id as BlobId,
    size: Number(row.size),
    sha256: row.sha256,
    digests: JSON.parse(row.digests) as Record<string, string>,
  }
}

/** @param owner whose usage the bytes are */
function toBlobRow({ digests, ...blob }: Blob, owner: string | null): BlobRow {
  return { ...blob, digests: JSON.stringify(digests), checked: null, damage: null, owner }
}

export function usageReader(db: Kysely<Tables>): UsageReader {
  const stored = prepared(db, (owner: string) =>
    db.selectFrom('usage').select('byte_count').where('owner', '=', owner),
  )
  const announced = prepared(db, (owner: string) =>
    db
      .selectFrom('uploads')
      .select((expression) => expression.fn.sum<number | null>('size').as('size'))
      .where('owner', '=', owner)
      .where('finished', 'is', null),
  )
  const metadata = prepared(db, (owner: string) =>
    db
      .selectFrom('metadata_usage')
      .select((expression) => expression.fn.sum<number | null>('byte_count').as('size'))
      .where('owner', '=', owner),
  )
  return {
    of: async (owner) => {
      const [[bytes], [uploads]] = [await stored(owner), await announced(owner)]
      return Number(bytes?.byte_count ?? 0) + Number(uploads?.size ?? 0)
    },
    metadata: async (owner) => {
      const [sum] = await metadata(owner)
      return Number(sum?.size ?? 0)
    },
  }
}

/** Inserts blobs, which count as the usage of whoever owns the deposit they came to first. */
type InsertBlobs = (blobs: readonly Blob[], bucket: BucketId) => Promise<void>

export function blobInserter(db: Kysely<Tables>): InsertBlobs {
  const ownerOf = prepared(db, (bucket: string) =>
    db.selectFrom('deposits').select('owner').where('bucket_id', '=', bucket),
  )
  const insert = preparedInsert(db, (row: BlobRow) => db.insertInto('blobs').values(row))
  const add = usageAdder(db)
  return async (blobs, bucket) => {
    const [deposit] = await ownerOf(bucket)
    const owner = deposit?.owner ?? null
    for (const blob of blobs) await insert(toBlobRow(blob, owner))
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0)
    if (owner !== null) await add({ owner, byte_count: bytes })
  }
}

/** Removes those of `ids` that nothing refers to any more; answers them. */
export async function removeUnreferenced(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly BlobId[]> {
  const removed: BlobId[] = []
  const add = usageAdder(db)
  for (let start = 0; start < ids.length; start += 500) {
    const rows = await removeBatch(db, ids.slice(start, start + 500))
    const freed = Map.groupBy(rows, ({ owner }) => owner)
    for (const [owner, blobs] of freed) {
      const bytes = blobs.reduce((sum, { size }) => sum + Number(size), 0)
      if (owner !== null) await add({ owner, byte_count: -bytes })
    }
    removed.push(...rows.map(({ id }) => id as BlobId))
  }
  return removed
}

function removeBatch(db: Kysely<Tables>, ids: readonly string[]) {
  return db
    .deleteFrom('blobs')
    .where('id', 'in', ids)
    .where((row) => isUnreferenced(row, 'files'))
    .where((row) => isUnreferenced(row, 'file_versions'))
    .returning(['id', 'size', 'owner'])
    .execute()
}

function isUnreferenced(
  row: ExpressionBuilder<Tables, 'blobs'>,
  table: 'files' | 'file_versions',
): Expression<SqlBool> {
  const references = row.selectFrom(table).select(`${table}.blob_id`)
  return row.not(row.exists(references.whereRef(`${table}.blob_id`, '=', 'blobs.id')))
}

/** Adds to what an owner uses, which begins with the first file. */
function usageAdder(db: Kysely<Tables>) {
  return preparedInsert(db, (row: UsageRow) =>
    db
      .insertInto('usage')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('owner').doUpdateSet((expression) => ({
          byte_count: expression('usage.byte_count', '+', expression.ref('excluded.byte_count')),
        })),
      ),
  )
}
