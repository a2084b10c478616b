import type {
  Blob,
  BlobId,
  BucketId,
  DepositFile,
  FileKey,
  FileVersion,
  VersionId,
} from '../files/file.ts'
import type { UserId } from '../access/caller.ts'
import type { DepositId } from '../pid/deposit-pid.ts'

/** The number of files, and the sum of their bytes. */
export interface FileTotals {
  readonly count: number
  readonly size: number
}

/** Which of a bucket's two orders is asked for; they differ only while an edited draft is sorted. */
export type FileOrder = 'draft' | 'published'

export interface FileReader {
  /** All files of a bucket: in the order of the draft, or in that of the last publish. */
  readonly list: (bucket: BucketId, order: FileOrder) => Promise<readonly DepositFile[]>
  readonly find: (bucket: BucketId, key: FileKey) => Promise<DepositFile | undefined>
  /** All versions of a file, latest first. */
  readonly versions: (file: DepositFile) => Promise<readonly FileVersion[]>
  readonly findVersion: (file: DepositFile, version: VersionId) => Promise<FileVersion | undefined>
  /** The file of a bucket that a version is of. */
  readonly findByVersion: (bucket: BucketId, version: VersionId) => Promise<DepositFile | undefined>
  /** Latest versions alone. */
  readonly totals: (buckets: readonly BucketId[]) => Promise<ReadonlyMap<BucketId, FileTotals>>
  /** Where a file under a key has its place: one question. */
  readonly findPlace: (bucket: BucketId, key: FileKey) => Promise<FilePlace>
}

/** The file and the totals before one is put under a key. */
export interface FilePlace {
  /** The one that has the key. */
  readonly file?: DepositFile
  readonly totals: FileTotals
  /** The position of a new file. */
  readonly next: number
}

/** A file about to be added at the end of its bucket's order. */
export type NewFile = Omit<DepositFile, 'position'>

/**
 * What a unit that has locked the deposit ({@link DepositWriter.lock}) has read of it: it is not asked
 * for again. No other file has the key.
 */
export interface KnownPlace {
  readonly position: number
  /** Whose usage the bytes are: the first owner. */
  readonly owner: UserId
}

export interface FileWriter extends FileReader {
  /** @throws {DepositError} file_already_exists: the bucket has a file under this key */
  readonly add: (file: NewFile, known?: KnownPlace) => Promise<DepositFile>
  /** Adds files of one bucket, in the order given; as {@link add}, with less to ask for each. */
  readonly addAll: (bucket: BucketId, files: readonly NewFile[]) => Promise<readonly DepositFile[]>
  /** Puts a new version before those that are there. */
  readonly addVersion: (file: DepositFile, version: FileVersion) => Promise<DepositFile>
  /** As {@link addVersion}, for a version whose bytes are those of an earlier one. */
  readonly bringBack: (file: DepositFile, version: FileVersion) => Promise<DepositFile>
  /** @throws {DepositError} file_already_exists: another file of the bucket has this key */
  readonly rename: (file: DepositFile, key: FileKey) => Promise<DepositFile>
  /**
   * Numbers the files of a bucket in the order given. Of a bucket that was published, the
   * published order is remembered until {@link publishOrder} or {@link restoreOrder}.
   */
  readonly reorder: (files: readonly DepositFile[], isPublished: boolean) => Promise<void>
  /** Makes the order of the draft the published one. */
  readonly publishOrder: (bucket: BucketId) => Promise<void>
  /** Brings the published order back to the draft. */
  readonly restoreOrder: (bucket: BucketId) => Promise<void>
  /**
   * Lets `to` hold the latest versions of all files of `from`; no byte of theirs is copied.
   *
   * @returns bytes that the rows of `to` count
   */
  readonly carryOver: (from: BucketId, to: BucketId) => Promise<number>
  /** Removes a file with its versions for good; answers the blobs that nothing refers to any more. */
  readonly remove: (file: DepositFile) => Promise<readonly BlobId[]>
  /** Other deposits whose files have bytes of this bucket, at most as many as given. */
  readonly sharing: (bucket: BucketId, most: number) => Promise<readonly DepositId[]>
  /** Removes all files of a bucket, its trash too; answers the blobs that nothing refers to any more. */
  readonly removeAll: (bucket: BucketId) => Promise<readonly BlobId[]>
}

/** Limits of a search for the newest bytes. */
export interface NewestBlobs {
  readonly largerThan?: number
  /** Bytes. */
  readonly atMost?: number
  /** Of files that were added later: ISO 8601, UTC. */
  readonly since?: string | undefined
}

export interface BlobReader {
  readonly find: (id: BlobId) => Promise<Blob | undefined>
  /** The CRC-32 of each blob for which it was recorded. */
  readonly crc32s: (ids: readonly BlobId[]) => Promise<ReadonlyMap<BlobId, number>>
  /** Those of the files that were last added, without those that are known to be damaged. */
  readonly newest: (most: number, of?: NewestBlobs) => Promise<readonly BlobId[]>
  /** Every blob that a row names, in the order of ids. */
  readonly each: () => AsyncIterable<Blob>
}
