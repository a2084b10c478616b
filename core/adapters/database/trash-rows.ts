import { sql, type Kysely } from 'kysely'
import type { UserId } from '../../access/caller.ts'
import {
  fileRowBytes,
  rowBytes,
  type BlobId,
  type BucketId,
  type DepositFile,
  type FileKey,
} from '../../files/file.ts'
import type {
  Deletion,
  TrashedFile,
  TrashPart,
  TrashReader,
  TrashWriter,
} from '../../ports/trash.ts'
import { bucketCounter } from './carry-over.ts'
import { refuseTakenKey, toFile } from './file-rows.ts'
import { removeTrash, trashBatch, type Removed, type TrashRows } from './remove-files.ts'
import type { Tables } from './schema/tables.ts'
import type { BlobRow, TrashedFileRow } from './schema/file-tables.ts'

export function trashReader(db: Kysely<Tables>): TrashReader {
  const select = db
    .selectFrom('trashed_files')
    .innerJoin('blobs', 'blobs.id', 'trashed_files.blob_id')
    .selectAll('trashed_files')
    .select(['blobs.size', 'blobs.sha256', 'blobs.digests'])
  return {
    list: async (bucket, part) => {
      const ids = partOf(db, bucket, part).select('id')
      const rows = await select
        .where('trashed_files.id', 'in', ids)
        .orderBy('deleted', 'desc')
        .orderBy('trashed_files.id')
        .execute()
      return rows.map(toTrashed)
    },
    count: (bucket) => countTrash(db, bucket),
    totals: async () => {
      const { count, size } = await db
        .selectFrom('trashed_files')
        .innerJoin('blobs', 'blobs.id', 'trashed_files.blob_id')
        .select(({ fn }) => [fn.countAll().as('count'), fn.sum<number | null>('size').as('size')])
        .executeTakeFirstOrThrow()
      return { count: Number(count), size: Number(size ?? 0) }
    },
    find: async (bucket, id) => {
      const named = select.where('bucket_id', '=', bucket).where('trashed_files.id', '=', id)
      const row = await named.executeTakeFirst()
      return row && toTrashed(row)
    },
    bytesOf: (owner) => bytesOf(db, owner),
  }
}

function partOf(db: Kysely<Tables>, bucket: BucketId, { limit, offset = 0, after }: TrashPart) {
  const part = db
    .selectFrom('trashed_files')
    .where('bucket_id', '=', bucket)
    .orderBy('deleted', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
  if (!after) return part
  return part.where((row) =>
    row.or([
      row('deleted', '<', after.deleted),
      row.and([row('deleted', '=', after.deleted), row('id', '>', after.id)]),
    ]),
  )
}

async function countTrash(db: Kysely<Tables>, bucket: BucketId): Promise<number> {
  const { count } = await db
    .selectFrom('trashed_files')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('bucket_id', '=', bucket)
    .executeTakeFirstOrThrow()
  return Number(count)
}

function toTrashed(
  row: TrashedFileRow & Pick<BlobRow, 'size' | 'sha256' | 'digests'>,
): TrashedFile {
  const file = toFile({ ...row, published_position: null })
  const by = row.deleted_by as UserId | 'system'
  return { ...file, deleted: row.deleted, by, isUnconfirmed: row.unconfirmed !== 0 }
}

/** Of blobs and of rows. */
async function bytesOf(db: Kysely<Tables>, owner: UserId): Promise<number> {
  const { bytes } = await db
    .selectFrom('deposits')
    .select(sql<number | null>`sum(${rowsOfBucket})`.as('bytes'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow()
  // There is no file without a row.
  const ofRows = Number(bytes ?? 0)
  return ofRows === 0 ? 0 : ofRows + (await blobBytesOf(db, owner))
}

/** Bytes that the trash of a deposit counts for its rows, looked up by an index. */
const rowsOfBucket = sql<number | null>`(
  SELECT sum(octet_length(key) + ${sql.lit(rowBytes)} * (1 +
    (SELECT count(*) FROM file_versions WHERE file_id = trashed_files.id)))
  FROM trashed_files WHERE trashed_files.bucket_id = deposits.bucket_id)`

/** A blob may be in the trash more than once, or be shared with files that are there. */
async function blobBytesOf(db: Kysely<Tables>, owner: UserId): Promise<number> {
  const trashed = trashOf(db, owner)
  const older = db
    .selectFrom('file_versions')
    .select('blob_id')
    .where('file_id', 'in', trashed.select('id'))
  const { bytes } = await db
    .selectFrom('blobs')
    .select(sql<number | null>`sum(size)`.as('bytes'))
    .where('owner', '=', owner)
    .where('id', 'in', trashed.select('blob_id').unionAll(older))
    .where((row) =>
      row.not(
        row.exists(row.selectFrom('files').select('files.id').whereRef('blob_id', '=', 'blobs.id')),
      ),
    )
    .where((row) => {
      const versions = row
        .selectFrom('file_versions')
        .innerJoin('files', 'files.id', 'file_versions.file_id')
        .select('file_versions.version_id')
      return row.not(row.exists(versions.whereRef('file_versions.blob_id', '=', 'blobs.id')))
    })
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

function trashOf(db: Kysely<Tables>, owner: UserId) {
  const buckets = db.selectFrom('deposits').select('bucket_id').where('owner', '=', owner)
  return db.selectFrom('trashed_files').where('bucket_id', 'in', buckets)
}

export function trashWriter(db: Kysely<Tables>): TrashWriter {
  const count = bucketCounter(db)
  return {
    ...trashReader(db),
    put: async (file, deletion) => {
      await moveOut(db, file, deletion)
      await count({ id: file.bucket, file_count: -1, byte_count: -file.latest.blob.size })
    },
    restore: async (file, key) => {
      const restored = { ...file, key, position: await findPlace(db, file) }
      const { id, bucket, latest } = file
      await db.deleteFrom('trashed_files').where('id', '=', id).execute()
      const row = {
        id,
        bucket_id: bucket,
        key,
        position: restored.position,
        published_position: null,
        version_id: latest.id,
        blob_id: latest.blob.id,
        storage_class: latest.storageClass,
        created: latest.created,
      }
      await refuseTakenKey(key, () => db.insertInto('files').values(row).execute())
      await count({ id: bucket, file_count: 1, byte_count: latest.blob.size })
      return restored
    },
    remove: ({ id }) => removeTrash(db, (rows) => rows.where('id', '=', id)),
    removeSome: async (bucket, until) => {
      const trash = db.selectFrom('trashed_files').where('bucket_id', '=', bucket)
      const files = await first(trash.where('deleted', '<=', until), trashBatch)
      return { keys: files.map(({ key }) => key), blobs: await removeNamed(db, files) }
    },
    removeSharing: (bucket) => removeTrash(db, (rows) => sharing(db, rows, bucket)),
    limit: async (bucket, most) => {
      const excess = (await countTrash(db, bucket)) - most
      if (excess <= 0) return []
      const oldest = db.selectFrom('trashed_files').where('bucket_id', '=', bucket)
      return removeNamed(db, await first(oldest, excess))
    },
    removeBefore: async (time) => {
      const old = db.selectFrom('trashed_files').where('deleted', '<', time)
      const files = await first(old, trashBatch)
      return { files: files.length, blobs: await removeNamed(db, files) }
    },
    giveUp: (bytes, owner) => giveUp(db, bytes, owner),
  }
}

/** Those with a version whose bytes a file of `bucket` has in one of its versions. */
function sharing<Row>(db: Kysely<Tables>, rows: TrashRows<Row>, bucket: BucketId) {
  const files = db.selectFrom('files').where('bucket_id', '=', bucket)
  const older = db
    .selectFrom('file_versions')
    .select('blob_id')
    .where('file_id', 'in', files.select('id'))
  const blobs = files.select('blob_id').union(older)
  const versions = db.selectFrom('file_versions').select('file_id').where('blob_id', 'in', blobs)
  return rows.where((row) => row.or([row('blob_id', 'in', blobs), row('id', 'in', versions)]))
}

async function giveUp(
  db: Kysely<Tables>,
  bytes: number,
  owner: UserId | undefined,
): Promise<readonly BlobId[]> {
  const isOfQuota = owner !== undefined
  const trash = isOfQuota ? trashOf(db, owner) : db.selectFrom('trashed_files')
  const removed: BlobId[] = []
  for (let left = bytes; left > 0;) {
    const rows = await first(trash, trashBatch)
    const end = findEnd(rows, left, isOfQuota)
    if (end === 0) break
    const freed: Removed = { sizes: new Map(), ofRows: 0 }
    const blobs = await removeNamed(db, rows.slice(0, end), freed)
    removed.push(...blobs)
    for (const blob of blobs) left -= freed.sizes.get(blob) ?? 0
    if (isOfQuota) left -= freed.ofRows
  }
  return removed
}

/** How many of the first rows have so many bytes; those of rows are free in a quota, and on no disk. */
function findEnd(rows: readonly Named[], bytes: number, isOfQuota: boolean): number {
  let size = 0
  for (const [at, row] of rows.entries()) {
    if (size >= bytes) return at
    size += row.size + (isOfQuota ? fileRowBytes(row.key) + row.older * rowBytes : 0)
  }
  return rows.length
}

interface Named {
  readonly key: FileKey
  readonly id: string
  /** Bytes of the latest version. */
  readonly size: number
  /** The number of older ones. */
  readonly older: number
}

/** Those that were deleted first. */
async function first(rows: TrashRows<object>, limit: number): Promise<readonly Named[]> {
  const found = await rows
    .innerJoin('blobs', 'blobs.id', 'trashed_files.blob_id')
    .select((row) => [
      'trashed_files.id',
      'trashed_files.key',
      'blobs.size',
      row
        .selectFrom('file_versions')
        .select(({ fn }) => fn.countAll().as('count'))
        .whereRef('file_id', '=', 'trashed_files.id')
        .as('older'),
    ])
    .orderBy('trashed_files.deleted')
    .orderBy('trashed_files.id')
    .limit(limit)
    .execute()
  return found.map(({ id, key, size, older }) => {
    return { id, key: key as FileKey, size: Number(size), older: Number(older) }
  })
}

/** @param freed gets what was removed */
async function removeNamed(
  db: Kysely<Tables>,
  files: readonly Named[],
  freed?: Removed,
): Promise<readonly BlobId[]> {
  const removed: BlobId[] = []
  for (let start = 0; start < files.length; start += trashBatch) {
    const ids = files.slice(start, start + trashBatch).map(({ id }) => id)
    removed.push(...(await removeTrash(db, (rows) => rows.where('id', 'in', ids), freed)))
  }
  return removed
}

/** Moves the row of a file; its older versions stay where they are. */
async function moveOut(
  db: Kysely<Tables>,
  { id, bucket }: DepositFile,
  { deleted, by }: Deletion,
): Promise<void> {
  const moved = db
    .selectFrom('files')
    .where('id', '=', id)
    .select([
      ...columns,
      sql<string>`cast(${deleted} as text)`.as('deleted'),
      sql<string>`cast(${by} as text)`.as('deleted_by'),
      isAnnounced(bucket).as('unconfirmed'),
    ])
  await db
    .insertInto('trashed_files')
    .columns([...columns, 'deleted', 'deleted_by', 'unconfirmed'])
    .expression(moved)
    .execute()
  await db.deleteFrom('files').where('id', '=', id).execute()
}

/** 1 for a file of the bucket that was announced, and not confirmed. */
const isAnnounced = (bucket: BucketId) => sql<number>`CASE WHEN EXISTS (
  SELECT 1 FROM announced_files WHERE announced_files.key = files.key
  AND deposit_id = (SELECT id FROM deposits WHERE bucket_id = ${bucket})
) THEN 1 ELSE 0 END`

const columns = [
  'id',
  'bucket_id',
  'key',
  'position',
  'version_id',
  'blob_id',
  'storage_class',
  'created',
] as const satisfies readonly (keyof TrashedFileRow)[]

/** The place of a file before it was deleted, where that is free; the end otherwise. */
async function findPlace(db: Kysely<Tables>, { bucket, position }: TrashedFile): Promise<number> {
  const files = db.selectFrom('files').where('bucket_id', '=', bucket)
  const taken = await files.select('id').where('position', '=', position).executeTakeFirst()
  if (!taken) return position
  const last = await files
    .select(({ fn }) => fn.max<number | null>('position').as('position'))
    .executeTakeFirst()
  return (last?.position ?? -1) + 1
}
