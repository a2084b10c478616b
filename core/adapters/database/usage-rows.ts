import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { Blob, BlobId, BucketId } from '../../files/file.ts'
import type { UsageReader } from '../../ports/uploads.ts'
import { toBlobRow } from './blob-rows.ts'
import type { Tables } from './tables.ts'

export function usageReader(db: Kysely<Tables>): UsageReader {
  return {
    of: async (owner) => {
      const stored = await db
        .selectFrom('usage')
        .select('byte_count')
        .where('owner', '=', owner)
        .executeTakeFirst()
      const announced = await db
        .selectFrom('uploads')
        .select((expression) => expression.fn.sum<number | null>('size').as('size'))
        .where('owner', '=', owner)
        .where('finished', 'is', null)
        .executeTakeFirst()
      return Number(stored?.byte_count ?? 0) + Number(announced?.size ?? 0)
    },
  }
}

/** Inserts a blob, which counts as the usage of whoever owns the deposit it came to first. */
export async function insertBlob(db: Kysely<Tables>, blob: Blob, bucket: BucketId): Promise<void> {
  const deposit = await db
    .selectFrom('deposits')
    .select('owner')
    .where('bucket_id', '=', bucket)
    .executeTakeFirst()
  const owner = deposit?.owner ?? null
  await db.insertInto('blobs').values(toBlobRow(blob, owner)).execute()
  if (owner !== null) await addUsage(db, owner, blob.size)
}

/** Removes those of `ids` that nothing refers to any more; answers them. */
export async function removeUnreferenced(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly BlobId[]> {
  const removed: BlobId[] = []
  for (let start = 0; start < ids.length; start += 500) {
    const rows = await removeBatch(db, ids.slice(start, start + 500))
    const freed = Map.groupBy(rows, ({ owner }) => owner)
    for (const [owner, blobs] of freed) {
      const bytes = blobs.reduce((sum, { size }) => sum + Number(size), 0)
      if (owner !== null) await addUsage(db, owner, -bytes)
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

async function addUsage(db: Kysely<Tables>, owner: string, bytes: number): Promise<void> {
  await db
    .insertInto('usage')
    .values({ owner, byte_count: bytes })
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet((row) => ({
        byte_count: row('usage.byte_count', '+', bytes),
      })),
    )
    .execute()
}
