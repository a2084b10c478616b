import { sql, type Kysely } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import type { Deposit } from '../../deposit/deposit.ts'
import { rowBytes, uploadRowBytes, type BucketId, type FileKey } from '../../files/file.ts'
import { usageAdder } from './blob-rows.ts'
import { documentBytes } from './bounded-batches.ts'
import type { Tables } from './schema/tables.ts'

/**
 * Lets the bytes of a deposit count as the usage of another user: those of its files in all their
 * versions, and of its unfinished uploads. Bytes that it shares with other deposits go with it.
 *
 * @returns bytes that count as theirs now, those of its documents and rows too
 */
export async function chargeBytes(
  db: Kysely<Tables>,
  { id, bucket }: Deposit,
  from: UserId,
  to: UserId,
): Promise<number> {
  const files = db.selectFrom('files').where('bucket_id', '=', bucket)
  const rows = await db
    .updateTable('blobs')
    .set({ owner: to })
    .where('owner', '=', from)
    .where((row) =>
      row.or([
        row('id', 'in', files.select('blob_id')),
        row(
          'id',
          'in',
          db
            .selectFrom('file_versions')
            .select('blob_id')
            .where('file_id', 'in', files.select('id')),
        ),
      ]),
    )
    .returning('size')
    .execute()
  const bytes = rows.reduce((sum, { size }) => sum + Number(size), 0)
  const add = usageAdder(db)
  await add({ owner: from, byte_count: -bytes })
  await add({ owner: to, byte_count: bytes })
  const uploads = await db
    .updateTable('uploads')
    .set({ owner: to })
    .where('deposit_id', '=', id)
    .where('owner', '=', from)
    .returning(['size', 'key', 'metadata', 'finished'])
    .execute()
  const documents = await db
    .selectFrom('deposits')
    .select(documentBytes.as('bytes'))
    .where('id', '=', id)
    .unionAll(
      db
        .selectFrom('record_revisions')
        .select(documentBytes.as('bytes'))
        .where('bucket_id', '=', bucket),
    )
    .execute()
  const announced = uploads
    .filter(({ finished }) => finished === null)
    .map(
      ({ size, key, metadata }) =>
        Number(size) + uploadRowBytes(key as FileKey, JSON.parse(metadata) as object),
    )
  const further = [...announced, ...documents.map((row) => row.bytes), await ofRows(db, bucket)]
  return further.reduce((sum, size) => sum + Number(size), bytes)
}

/** Bytes that the rows of a bucket count: of its files, of its trash, and of their older versions. */
async function ofRows(db: Kysely<Tables>, bucket: BucketId): Promise<number> {
  const ofTable = async (table: 'files' | 'trashed_files'): Promise<number> => {
    const rows = db.selectFrom(table).where('bucket_id', '=', bucket)
    const named = await rows
      .select(({ fn }) => [
        fn.countAll().as('count'),
        sql<number | null>`sum(octet_length(key))`.as('bytes'),
      ])
      .executeTakeFirstOrThrow()
    const older = await db
      .selectFrom('file_versions')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('file_id', 'in', rows.select('id'))
      .executeTakeFirstOrThrow()
    return (Number(named.count) + Number(older.count)) * rowBytes + Number(named.bytes ?? 0)
  }
  return (await ofTable('files')) + (await ofTable('trashed_files'))
}
