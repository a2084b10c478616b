import { sql, type Kysely } from 'kysely'
import type {
  BucketId,
  DepositFile,
  FileId,
  FileKey,
  FileVersion,
  VersionId,
} from '../../files/file.ts'
import type { FileReader } from '../../ports/database.ts'
import { toBlob } from './blob-rows.ts'
import { prepared } from './prepared.ts'
import type { BlobRow, FileRow, FileVersionRow, Tables } from './schema/tables.ts'

/** What is read of a version's blob beside the row of the version itself. */
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
  const older = prepared(db, (file: string) => olderVersions(db, file))
  const olderOne = prepared(db, (file: string, version: string) =>
    olderVersions(db, file).where('version_id', '=', version),
  )
  const totals = db.selectFrom('buckets').selectAll()
  const totalsOf = prepared(db, (bucket: string) => totals.where('id', '=', bucket))
  return {
    list: async (bucket, order) => {
      const files = select.where('bucket_id', '=', bucket)
      const published = sql`coalesce(published_position, position)`
      const rows = await files.orderBy(order === 'draft' ? 'position' : published).execute()
      return rows.map(toFile)
    },
    find: async (bucket, key) => {
      const [row] = await named(bucket, key)
      return row && toFile(row)
    },
    versions: async (file) => [file.latest, ...(await older(file.id)).map(toVersion)],
    findVersion: async (file, version) => {
      if (file.latest.id === version) return file.latest
      const [row] = await olderOne(file.id, version)
      return row && toVersion(row)
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
