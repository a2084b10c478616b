import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { FileExists } from '../../errors.ts'
import type { BlobId, BucketId, DepositFile } from '../../files/file.ts'
import type { FileWriter, NewFile } from '../../ports/database.ts'
import { fileReader } from './file-rows.ts'
import type { Tables } from './tables.ts'
import { isUniqueViolation } from './unique-violation.ts'
import { insertBlob, removeUnreferenced } from './usage-rows.ts'

export function fileWriter(db: Kysely<Tables>): FileWriter {
  return {
    ...fileReader(db),
    add: (file) => add(db, file),
    addVersion: async (file, latest) => {
      await supersede(db, file)
      await insertBlob(db, latest.blob, file.bucket)
      const change = {
        version_id: latest.id,
        blob_id: latest.blob.id,
        storage_class: latest.storageClass,
        created: latest.created,
      }
      await db.updateTable('files').set(change).where('id', '=', file.id).execute()
      await count(db, file.bucket, 0, latest.blob.size - file.latest.blob.size)
      return { ...file, latest }
    },
    rename: async (file, key) => {
      const change = db.updateTable('files').set({ key }).where('id', '=', file.id)
      await refuseTakenKey(key, () => change.execute())
      return { ...file, key }
    },
    reorder: (files, isPublished) => reorder(db, files, isPublished),
    publishOrder: async (bucket) => {
      await db
        .updateTable('files')
        .set({ published_position: null })
        .where('bucket_id', '=', bucket)
        .where('published_position', 'is not', null)
        .execute()
    },
    restoreOrder: async (bucket) => {
      await db
        .updateTable('files')
        .set({ position: sql<number>`published_position`, published_position: null })
        .where('bucket_id', '=', bucket)
        .where('published_position', 'is not', null)
        .execute()
    },
    carryOver: (from, to) => carryOver(db, from, to),
    remove: async (file) => {
      const blobs = await removeFiles(db, file.bucket, file)
      await count(db, file.bucket, -1, -file.latest.blob.size)
      return blobs
    },
    removeAll: async (bucket) => {
      const blobs = await removeFiles(db, bucket)
      await db.deleteFrom('buckets').where('id', '=', bucket).execute()
      return blobs
    },
  }
}

async function add(db: Kysely<Tables>, file: NewFile): Promise<DepositFile> {
  const { id, bucket, key, latest } = file
  await insertBlob(db, latest.blob, bucket)
  const last = await db
    .selectFrom('files')
    .select('position')
    .where('bucket_id', '=', bucket)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  const position = last ? last.position + 1 : 0
  const row = {
    id,
    bucket_id: bucket,
    key,
    position,
    published_position: null,
    version_id: latest.id,
    blob_id: latest.blob.id,
    storage_class: latest.storageClass,
    created: latest.created,
  }
  await refuseTakenKey(key, () => db.insertInto('files').values(row).execute())
  await count(db, bucket, 1, latest.blob.size)
  return { ...file, position }
}

async function refuseTakenKey(key: string, change: () => Promise<unknown>): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (isUniqueViolation(error)) throw new FileExists(key, { cause: error })
    throw error
  }
}

/** Keeps the latest version of `file` as an older one. */
async function supersede(db: Kysely<Tables>, file: DepositFile): Promise<void> {
  const { ordinal } = await db
    .selectFrom('file_versions')
    .select((expression) => expression.fn.max<number | null>('ordinal').as('ordinal'))
    .where('file_id', '=', file.id)
    .executeTakeFirstOrThrow()
  const row = {
    version_id: file.latest.id,
    file_id: file.id,
    ordinal: (ordinal ?? 0) + 1,
    blob_id: file.latest.blob.id,
    storage_class: file.latest.storageClass,
    created: file.latest.created,
  }
  await db.insertInto('file_versions').values(row).execute()
}

async function reorder(
  db: Kysely<Tables>,
  files: readonly DepositFile[],
  isPublished: boolean,
): Promise<void> {
  const published = sql<number | null>`coalesce(published_position, position)`
  for (const [position, file] of files.entries()) {
    await db
      .updateTable('files')
      .set({ position, published_position: isPublished ? published : null })
      .where('id', '=', file.id)
      .execute()
  }
}

/** Lets a bucket hold the latest versions of another; the rows are new, the blobs are shared. */
async function carryOver(db: Kysely<Tables>, from: BucketId, to: BucketId): Promise<void> {
  const files = await db.selectFrom('files').selectAll().where('bucket_id', '=', from).execute()
  for (let start = 0; start < files.length; start += 500) {
    const rows = files.slice(start, start + 500).map((file) => ({
      ...file,
      id: randomUUID(),
      version_id: randomUUID(),
      bucket_id: to,
      published_position: null,
    }))
    await db.insertInto('files').values(rows).execute()
  }
  const total = await db.selectFrom('buckets').selectAll().where('id', '=', from).executeTakeFirst()
  if (total) await count(db, to, total.file_count, Number(total.byte_count))
}

/** Adds to the totals of a bucket, which begin with its first file. */
async function count(
  db: Kysely<Tables>,
  bucket: BucketId,
  files: number,
  bytes: number,
): Promise<void> {
  await db
    .insertInto('buckets')
    .values({ id: bucket, file_count: files, byte_count: bytes })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        file_count: row('buckets.file_count', '+', files),
        byte_count: row('buckets.byte_count', '+', bytes),
      })),
    )
    .execute()
}

/** Removes files with their versions; answers the blobs that nothing refers to any more. */
async function removeFiles(
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
