import type { UserId } from '../access/caller.ts'
import type { BlobId, BucketId, DepositFile, FileId, FileKey } from '../files/file.ts'

/** A file that was deleted from a draft and can be brought back, with all its versions. */
export interface TrashedFile extends DepositFile {
  /** When it was deleted. ISO 8601, UTC. */
  readonly deleted: string
  /** Who deleted it. */
  readonly by: UserId | 'system'
  /** It was announced, and its bytes were not confirmed. */
  readonly isUnconfirmed: boolean
}

/** When files are deleted, and by whom. */
export type Deletion = Pick<TrashedFile, 'deleted' | 'by'>

/** Which files of a trash are listed: so many at most, without the first ones. */
export interface TrashPart {
  readonly limit: number
  /** Files before it; 0 by default. */
  readonly offset?: number
  /** The file that it begins after. */
  readonly after?: Pick<TrashedFile, 'id' | 'deleted'>
}

export interface TrashReader {
  /** A part of the trash of a bucket, last deleted first. */
  readonly list: (bucket: BucketId, part: TrashPart) => Promise<readonly TrashedFile[]>
  readonly count: (bucket: BucketId) => Promise<number>
  /** Of the trash of all deposits: files, and the bytes of their latest versions. */
  readonly totals: () => Promise<{ readonly count: number; readonly size: number }>
  readonly find: (bucket: BucketId, id: FileId) => Promise<TrashedFile | undefined>
  /** Bytes that count against the quota of an owner for the trash alone, those of its rows too. */
  readonly bytesOf: (owner: UserId) => Promise<number>
}

/**
 * Changes of the trash. Those that remove files answer the blobs that nothing refers to any more.
 * Files that were deleted first go first.
 */
export interface TrashWriter extends TrashReader {
  /** Moves a file with its versions out of its bucket. */
  readonly put: (file: DepositFile, deletion: Deletion) => Promise<void>
  /**
   * Brings a file back under a key: to its place where that is free, to the end otherwise.
   *
   * @throws {DepositError} file_already_exists: the bucket has a file under this key
   */
  readonly restore: (file: TrashedFile, key: FileKey) => Promise<DepositFile>
  readonly remove: (file: TrashedFile) => Promise<readonly BlobId[]>
  /**
   * Removes files of a bucket that were deleted until a time (ISO 8601, UTC), a bounded number, of
   * which it answers the keys.
   */
  readonly removeSome: (
    bucket: BucketId,
    until: string,
  ) => Promise<{ readonly keys: readonly FileKey[]; readonly blobs: readonly BlobId[] }>
  /** Those of all deposits with bytes that files of a bucket have. */
  readonly removeSharing: (bucket: BucketId) => Promise<readonly BlobId[]>
  /** Leaves a bucket no more than `most`. */
  readonly limit: (bucket: BucketId, most: number) => Promise<readonly BlobId[]>
  /** Those deleted before a time (ISO 8601, UTC), a bounded number; answers how many files it were. */
  readonly removeBefore: (
    time: string,
  ) => Promise<{ readonly files: number; readonly blobs: readonly BlobId[] }>
  /**
   * Until `bytes` are free that only trash refers to.
   *
   * @param owner whose quota they count against, those of rows too; absent for bytes of the disk
   */
  readonly giveUp: (bytes: number, owner?: UserId) => Promise<readonly BlobId[]>
}
