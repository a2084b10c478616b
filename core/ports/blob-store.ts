import type { Readable } from 'node:stream'
import type { Blob, BlobId } from '../files/file.ts'
import type { UploadStore } from './upload-store.ts'

/** Measures and checks while bytes are written. */
export interface WriteOptions {
  /** Bytes. When it is passed, the written bytes are removed. */
  readonly limit: number
  /** Told how many more bytes arrive, before they are kept; where it throws, the writing ends. */
  readonly admit?: (bytes: number) => void
  /** Bytes the caller announced, where it did: room is checked before the first is read. */
  readonly expectedSize?: number
  /** Digests to compute beside SHA-256 (`md5`). */
  readonly algorithms?: readonly string[]
  /** Ends the writing; the written bytes are removed. */
  readonly signal?: AbortSignal
  /**
   * The caller does not use the memory of the bytes again: it may be freed as soon as they are
   * stored, which leaves the buffers empty.
   */
  readonly isGivenAway?: true
}

/**
 * `degraded`: the store failed; it is read, not written, until an operator restarts the service.
 * `away`: it cannot be reached, neither for reading nor for writing, and heals by itself.
 */
export type BlobStoreHealth = 'sound' | 'degraded' | 'away'

/** Headers of a file that a client fetches from the store itself. */
export interface DownloadAs {
  readonly mediaType: string
  /** As of RFC 6266. */
  readonly disposition: string
  readonly cacheControl: string
}

/** First and last byte to read, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Stores bytes under ids of ours. Bytes never change once they are written. A blob that no row
 * names is garbage to collect; a row that names no blob is data loss: so bytes are written before
 * their row, and removed after it.
 */
export interface BlobStore extends AsyncDisposable {
  readonly health: BlobStoreHealth

  /** How much its clock is ahead of this machine's, where it has one of its own. Milliseconds. */
  readonly clockAheadMs?: number

  /** Bytes that arrive in pieces, and become a blob at their end. */
  readonly uploads: UploadStore

  /** @throws {DepositError} storage_full: less than the reserve would be left after `bytes` more */
  readonly requireRoom: (bytes: number) => Promise<void>

  /** Folders on whose disks hardly more than the reserve is left: most files are refused. */
  readonly usedUp: () => Promise<readonly string[]>

  /** Whether so little is left on a disk that deleted bytes are not kept. */
  readonly isShort: () => Promise<boolean>

  /**
   * For changes of rows, which may use a part of the reserve where they lie on the same disk; the
   * rest of it is for changes that make room.
   *
   * @throws {DepositError} storage_full
   */
  readonly requireRoomForRows: () => Promise<void>

  /**
   * Writes `bytes` under `id` in one pass with constant memory, measures them on the way, and
   * answers once they are durable. When it throws, nothing is kept, and `bytes` is
   * destroyed once the first byte was read, left alone before.
   *
   * @throws {DepositError} broken_upload: `bytes` was closed before its end
   * @throws {DepositError} file_too_large: `bytes` is longer than the limit
   * @throws {DepositError} storage_full: there is no room, or less than the reserve would be left
   * @throws {DepositError} storage_degraded: the store failed before, or fails now
   * @throws {DepositError} overloaded: too many files are open at the moment
   */
  readonly write: (id: BlobId, bytes: Readable, options: WriteOptions) => Promise<Blob>

  /**
   * Opens a blob for reading; the stream fails where the blob is shorter than `range` asks.
   *
   * @throws {DepositError} damaged_file: there is no blob under `id`
   */
  readonly read: (id: BlobId, range?: ByteRange) => Promise<Readable>

  /**
   * Opens a blob from its first byte to its last. The stream of a damaged blob fails before its last
   * bytes, so no reader takes damaged bytes for whole.
   *
   * @throws {DepositError} damaged_file: there is no such blob, or it is small and was found damaged at once
   */
  readonly readWhole: (blob: Blob) => Promise<Readable>

  /**
   * Writes the bytes of a blob to a new file at `path`, durably but for its name.
   *
   * @param share lets both be one file where the file system can, which neither ever changes
   * @throws {DepositError} damaged_file: there is no blob under `id`
   */
  readonly copyOut: (id: BlobId, path: string, share: boolean) => Promise<void>

  /**
   * Puts off every removal until it is disposed of, so that what rows named at some moment is
   * there until then.
   */
  readonly holdRemovals: () => AsyncDisposable

  /** Removes a blob that no row names. Doing it twice is not an error. */
  readonly remove: (id: BlobId) => Promise<void>

  /** Bytes of the blob; undefined where there is none. */
  readonly size: (id: BlobId) => Promise<number | undefined>

  /** Every blob there is, in no order; and what lies between them that is none of ours. */
  readonly list: () => AsyncIterable<StoredBlob | StrangeFile>

  /**
   * An address under which anybody can read the blob for a moment, from a store that clients can
   * reach. Absent where there is no such thing.
   */
  readonly addressOf?: (blob: Blob, as: DownloadAs) => Promise<string>

  /** Faults of the store itself rather than of its blobs. Reads much of it. */
  readonly inspect: () => Promise<readonly StoreFault[]>

  /** Sets damaged bytes aside where an operator finds them; they stay as long as a row names the blob. */
  readonly quarantine: (id: BlobId) => Promise<void>

  /** Path, below the store, of the bytes of the blob that were set aside last. */
  readonly findAside: (id: BlobId) => Promise<string | undefined>

  /** Removes what was set aside of blobs that no row names any more, durably. */
  readonly removeAside: (ids: readonly BlobId[]) => Promise<void>
}

export interface StoredBlob {
  readonly id: BlobId
  /** Bytes. */
  readonly size: number
  readonly modified: Date
}

/** Damage that may concern many blobs, or none. */
export interface StoreFault {
  /** Path of the file. */
  readonly name: string
  readonly message: string
}

/** Something in the store that this service did not put there. */
export interface StrangeFile {
  readonly strange: string
}

/** Why a store of files cannot be used as it is configured. */
export type FilesFault = 'address' | 'keys_in_address' | 'bucket_name' | 'no_bucket' | 'refused'

/** A store of files cannot be used as it is configured. */
export class FilesUnfit extends Error {
  override readonly name = 'FilesUnfit'
  readonly fault: FilesFault

  constructor(fault: FilesFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}
