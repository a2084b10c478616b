import type { Kysely } from 'kysely'
import { preparedInsert } from './prepared.ts'
import type { BucketRow, Tables } from './schema/tables.ts'

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
