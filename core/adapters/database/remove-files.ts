import type { Kysely, SelectQueryBuilder } from 'kysely'
import {
  fileRowBytes,
  rowBytes,
  type BlobId,
  type BucketId,
  type DepositFile,
  type FileKey,
} from '../../files/file.ts'
import { removeUnreferenced } from './blob-rows.ts'
import type { Tables } from './schema/tables.ts'

/** Files of the trash that are removed at once. */
export const trashBatch = 200

export type TrashRows<Row> = SelectQueryBuilder<Tables, 'trashed_files', Row>

interface Named {
  readonly id: string
  readonly key: string
  readonly blob_id: string
}

/** Bytes of what was removed. */
export interface Removed {
  /** Of blobs, by their ids: also of those that something else refers to. */
  readonly sizes: Map<string, number>
  /** Of rows. */
  ofRows: number
}

/** Removes files with their versions; answers the blobs that nothing refers to any more. */
export async function removeFiles(
  db: Kysely<Tables>,
  bucket: BucketId,
  only?: DepositFile,
): Promise<readonly BlobId[]> {
  const all = db.selectFrom('files').where('bucket_id', '=', bucket)
  const files = only ? all.where('id', '=', only.id) : all
  const latest = await files.select(['id', 'blob_id']).execute()
  const versions = await db
    .deleteFrom('file_versions')
    .where('file_id', 'in', files.select('id'))
    .returning('blob_id')
    .execute()
  const doomed = db.deleteFrom('files').where('bucket_id', '=', bucket)
  await (only ? doomed.where('id', '=', only.id) : doomed).execute()
  return removeUnreferenced(
    db,
    [...latest, ...versions].map((row) => row.blob_id),
  )
}

/**
 * Removes files from the trash, with their versions.
 *
 * @param which narrows the files
 * @param removed gets what was removed
 * @returns the blobs that nothing refers to any more
 */
export async function removeTrash(
  db: Kysely<Tables>,
  which: (rows: TrashRows<Named>) => TrashRows<Named>,
  removed?: Removed,
): Promise<readonly BlobId[]> {
  const trash = db.selectFrom('trashed_files')
  const rows = await which(
    trash.select(['trashed_files.id', 'trashed_files.key', 'trashed_files.blob_id']),
  ).execute()
  const blobs = rows.map((row) => row.blob_id)
  for (let start = 0; start < rows.length; start += trashBatch) {
    const ids = rows.slice(start, start + trashBatch).map(({ id }) => id)
    const versions = await db
      .deleteFrom('file_versions')
      .where('file_id', 'in', ids)
      .returning('blob_id')
      .execute()
    blobs.push(...versions.map((version) => version.blob_id))
    await db.deleteFrom('trashed_files').where('id', 'in', ids).execute()
  }
  if (removed) {
    removed.ofRows += (blobs.length - rows.length) * rowBytes
    for (const { key } of rows) removed.ofRows += fileRowBytes(key as FileKey)
    const known = db.selectFrom('blobs').select(['id', 'size'])
    for (let start = 0; start < blobs.length; start += trashBatch) {
      const some = known.where('id', 'in', blobs.slice(start, start + trashBatch))
      for (const { id, size } of await some.execute()) removed.sizes.set(id, Number(size))
    }
  }
  return removeUnreferenced(db, blobs)
}
