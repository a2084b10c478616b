import type { Readable } from 'node:stream'
import type { Blob, BlobId } from '../files/file.ts'

export interface UploadProgress {
  /** Bytes that are durable. */
  readonly size: number
  /** When the last of them came. */
  readonly touched: Date
}

/** The limits of an append, and how it ends early. */
export interface AppendOptions {
  /** Bytes that must be there before: where the new ones begin. */
  readonly offset: number
  /** Bytes to take at most. */
  readonly limit: number
  /** As of {@link WriteOptions}. */
  readonly admit?: (bytes: number) => void
  /** Digests that {@link UploadStore.finish} will be asked for, SHA-256 apart. */
  readonly algorithms?: readonly string[]
  /** Ends the append; bytes that have arrived stay. */
  readonly signal?: AbortSignal
  /** Called before each write: throws once another may be writing, and nothing is written then. */
  readonly requireTurn?: () => void
  /** As of {@link WriteOptions}. */
  readonly isGivenAway?: true
}

/**
 * Bytes that arrive in pieces, over days and restarts, under the id they will have as a blob. The
 * caller makes sure that calls for one id come one after another.
 */
export interface UploadStore {
  /** Undefined where no byte of `id` has come yet. */
  readonly find: (id: BlobId) => Promise<UploadProgress | undefined>

  /**
   * Appends `bytes` and answers the new size once they are durable. Where `bytes` ends early or
   * the signal is given, the bytes that have arrived are made durable before the error is thrown.
   *
   * @throws {DepositError} upload_conflict: there are not `offset` bytes
   * @throws {DepositError} file_too_large: the store can take no further part of it
   * @throws {DepositError} broken_upload, file_too_large, storage_full, storage_degraded, overloaded
   */
  readonly append: (id: BlobId, bytes: Readable, options: AppendOptions) => Promise<number>

  /**
   * Makes what has arrived a blob of the store, measured and durable. Doing it twice answers the
   * same.
   *
   * @throws {DepositError} storage_full, storage_degraded, damaged_file
   */
  readonly finish: (id: BlobId, algorithms: readonly string[]) => Promise<Blob>

  /** Removes what has arrived, and the blob that a failed finish left. Twice is not an error. */
  readonly remove: (id: BlobId) => Promise<void>

  /** Every id of which bytes are here. */
  readonly list: () => Promise<readonly BlobId[]>
}
