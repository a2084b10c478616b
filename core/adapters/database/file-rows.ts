import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type {
  BucketId,
  DepositFile,
  FileId,
  FileKey,
  FileVersion,
  VersionId,
  Blob,
} from '../../files/file.ts'
import type { FileReader, FileWriter, KnownPlace, NewFile } from '../../ports/files.ts'
import { toBlob, blobInserter } from './blob-rows.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { Tables } from './schema/tables.ts'
import type { BlobRow, FileRow, FileVersionRow } from './schema/file-tables.ts'
import { problem } from '../../errors/errors.ts'
import { bucketCounter, carryOver } from './carry-over.ts'
import { fileOrderer } from './reorder.ts'
import { isUniqueViolation } from './postgres-errors.ts'
import { removeFiles, removeTrash } from './remove-files.ts'

/** A row of a version with the columns read from its blob. */
type WithBlob<Row> = Row & Pick<BlobRow, 'size' | 'sha256' | 'digests'>

export function fileReader(db: Kysely<Tables>): FileReader {
  const select = db
    .selectFrom('files')
    .innerJoin('blobs', 'blobs.id', 'files.blob_id')
    .selectAll('files')
    .select(['blobs.size', 'blobs.sha256', 'blobs.digests'])
  const named = prepared(db, (bucket: string, key: string) =>
    select.where('bucket_id', '=', bucket).where('key', '=', key),
  )
  const inOrder = (order: RawBuilder<unknown>) =>
    prepared(db, (bucket: string) => select.where('bucket_id', '=', bucket).orderBy(order))
  const ofDraft = inOrder(sql.ref('position'))
  const published = inOrder(sql`coalesce(published_position, position)`)
  const older = prepared(db, (file: string) => olderVersions(db, file))
  const olderOne = prepared(db, (file: string, version: string) =>
    olderVersions(db, file).where('version_id', '=', version),
  )
  const place = placeFinder(db)
  const totals = db.selectFrom('buckets').selectAll()
  const totalsOf = prepared(db, (bucket: string) => totals.where('id', '=', bucket), 'id')
  return {
    list: async (bucket, order) => {
      const rows = await (order === 'draft' ? ofDraft(bucket) : published(bucket))
      return rows.map(toFile)
    },
    find: async (bucket, key) => {
      const [row] = await named(bucket, key)
      return row && toFile(row)
    },
    findPlace: place,
    versions: async (file) => [file.latest, ...(await older(file.id)).map(toVersion)],
    findVersion: async (file, version) => {
      if (file.latest.id === version) return file.latest
      const [row] = await olderOne(file.id, version)
      return row && toVersion(row)
    },
    findByVersion: async (bucket, version) => {
      const ofOlder = db
        .selectFrom('file_versions')
        .select('file_id')
        .where('version_id', '=', version)
      const inBucket = select.where('bucket_id', '=', bucket)
      const row =
        (await inBucket.where('files.id', 'in', ofOlder).executeTakeFirst()) ??
        (await inBucket.where('version_id', '=', version).executeTakeFirst())
      return row && toFile(row)
    },
    totals: async (buckets) => {
      const [first] = buckets
      if (first === undefined) return new Map()
      const rows =
        buckets.length === 1
          ? await totalsOf(first)
          : await totals.where('id', 'in', buckets).execute()
      return new Map(
        rows.map((row) => [
          row.id as BucketId,
          { count: row.file_count, size: Number(row.byte_count) },
        ]),
      )
    },
  }
}

/** Those of a file before the latest, the last one first. */
function olderVersions(db: Kysely<Tables>, file: string) {
  return db
    .selectFrom('file_versions')
    .innerJoin('blobs', 'blobs.id', 'file_versions.blob_id')
    .selectAll('file_versions')
    .select(['blobs.size', 'blobs.sha256', 'blobs.digests'])
    .where('file_id', '=', file)
    .orderBy('ordinal', 'desc')
}

export function toFile(row: WithBlob<FileRow>): DepositFile {
  return {
    id: row.id as FileId,
    bucket: row.bucket_id as BucketId,
    key: row.key as FileKey,
    position: row.position,
    latest: toVersion(row),
  }
}

function toVersion(row: WithBlob<FileRow | FileVersionRow>): FileVersion {
  return {
    id: row.version_id as VersionId,
    blob: toBlob({ ...row, id: row.blob_id }),
    storageClass: row.storage_class,
    created: row.created,
  }
}

export function fileWriter(db: Kysely<Tables>): FileWriter {
  const insertBlobs = blobInserter(db)
  const count = bucketCounter(db)
  const follow = async (file: DepositFile, latest: FileVersion): Promise<DepositFile> => {
    await supersede(db, file)
    const change = {
      version_id: latest.id,
      blob_id: latest.blob.id,
      storage_class: latest.storageClass,
      created: latest.created,
    }
    await db.updateTable('files').set(change).where('id', '=', file.id).execute()
    await count({
      id: file.bucket,
      file_count: 0,
      byte_count: latest.blob.size - file.latest.blob.size,
    })
    return { ...file, latest }
  }
  return {
    ...fileReader(db),
    ...fileAdder(db),
    addVersion: async (file, latest) => {
      await insertBlobs([latest.blob], file.bucket)
      return follow(file, latest)
    },
    bringBack: (file, latest) => follow(file, latest),
    rename: async (file, key) => {
      const change = db.updateTable('files').set({ key }).where('id', '=', file.id)
      await refuseTakenKey(key, () => change.execute())
      return { ...file, key }
    },
    reorder: fileOrderer(db),
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
      await count({ id: file.bucket, file_count: -1, byte_count: -file.latest.blob.size })
      return blobs
    },
    sharing: async (bucket, most) => {
      const blobs = db.selectFrom('files').select('blob_id').where('bucket_id', '=', bucket)
      const rows = await db
        .selectFrom('files')
        .innerJoin('deposits', 'deposits.bucket_id', 'files.bucket_id')
        .select('deposits.id')
        .distinct()
        .where('files.blob_id', 'in', blobs)
        .where('files.bucket_id', '<>', bucket)
        .orderBy('deposits.id')
        .limit(most)
        .execute()
      return rows.map(({ id }) => id as DepositId)
    },
    removeAll: async (bucket) => {
      const trashed = await removeTrash(db, (rows) => rows.where('bucket_id', '=', bucket))
      const blobs = await removeFiles(db, bucket)
      await db.deleteFrom('buckets').where('id', '=', bucket).execute()
      return [...trashed, ...blobs]
    },
  }
}

function fileAdder(db: Kysely<Tables>): Pick<FileWriter, 'add' | 'addAll'> {
  const makePlace = placeMaker(db)
  const build = (row: FileRow) => db.insertInto('files').values(row)
  const insert = preparedInsert(db, build, { isSeen: true })
  const insertFree = preparedInsert(db, build)
  const insertAt = async (
    file: NewFile,
    position: number,
    insertRow = insert,
  ): Promise<DepositFile> => {
    const added = { ...file, position }
    await refuseTakenKey(file.key, () => insertRow(toRow(added)))
    return added
  }
  return {
    add: async (file, known) => {
      const position = await makePlace(file.bucket, [file.latest.blob], known)
      return insertAt(file, position, known && insertFree)
    },
    addAll: async (bucket, files) => {
      const blobs = files.map(({ latest }) => latest.blob)
      const first = await makePlace(bucket, blobs)
      const added: DepositFile[] = []
      for (const [at, file] of files.entries()) added.push(await insertAt(file, first + at))
      return added
    },
  }
}

/** Inserts and counts the blobs of new files of a bucket; answers the place of the first file. */
function placeMaker(db: Kysely<Tables>) {
  const insertBlobs = blobInserter(db)
  const count = bucketCounter(db)
  const lastOf = prepared(db, (bucket: string) =>
    db
      .selectFrom('files')
      .select((expression) => expression.fn.max<number | null>('position').as('position'))
      .where('bucket_id', '=', bucket),
  )
  return async (bucket: BucketId, blobs: readonly Blob[], known?: KnownPlace): Promise<number> => {
    const [[last]] = await Promise.all([
      known ? [] : lastOf(bucket),
      insertBlobs(blobs, bucket, known?.owner),
    ])
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0)
    await count({ id: bucket, file_count: blobs.length, byte_count: bytes })
    return known?.position ?? (last?.position ?? -1) + 1
  }
}

/** Asks with one statement for all that is to be known of a bucket before a file is put into it. */
function placeFinder(db: Kysely<Tables>): FileReader['findPlace'] {
  const find = prepared(db, (bucket: string, same: string, key: string, again: string) =>
    db
      .selectFrom(db.selectNoFrom((row) => row.lit(1).as('one')).as('once'))
      .leftJoin('files', (on) =>
        on.on((file) => file.and([file('bucket_id', '=', same), file('key', '=', key)])),
      )
      .leftJoin('blobs', 'blobs.id', 'files.blob_id')
      .leftJoin('buckets', (on) => on.on((row) => row('buckets.id', '=', again)))
      .select((row) =>
        row
          .selectFrom('files as all')
          .select(({ fn }) => fn.max<number | null>('all.position').as('position'))
          .where('all.bucket_id', '=', bucket)
          .as('last'),
      )
      .selectAll('files')
      .select(['size', 'sha256', 'digests', 'file_count', 'byte_count']),
  )
  return async (bucket, key) => {
    const [row] = await find(bucket, bucket, key, bucket)
    return {
      ...(hasFile(row) && { file: toFile(row) }),
      totals: { count: row?.file_count ?? 0, size: Number(row?.byte_count ?? 0) },
      next: (row?.last ?? -1) + 1,
    }
  }
}

/** Of columns of an outer join: all of them, or none, have values. */
function hasFile(row: Partial<Nullable<WithBlob<FileRow>>> | undefined): row is WithBlob<FileRow> {
  return row !== undefined && row.id !== null
}

type Nullable<Row> = { readonly [Name in keyof Row]: Row[Name] | null }

function toRow({ id, bucket, key, position, latest }: DepositFile): FileRow {
  return {
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
}

export async function refuseTakenKey(key: string, change: () => Promise<unknown>): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (isUniqueViolation(error)) throw problem('file_already_exists', { key, cause: error })
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
