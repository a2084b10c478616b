import type { Account, UserId } from '../access/caller.ts'
import type { BlobId } from '../files/file.ts'
import type { Upload } from '../files/upload.ts'
import type { DepositId } from '../pid/deposit-pid.ts'

export interface UploadReader {
  readonly find: (id: BlobId) => Promise<Upload | undefined>
  /** Those of a deposit that are not finished, oldest first. */
  readonly unfinished: (deposit: DepositId) => Promise<readonly Upload[]>
  /** The number of unfinished uploads of a deposit. */
  readonly countUnfinished: (deposit: DepositId) => Promise<number>
  /** The upload of a deposit that was made of `parts`, in this order. */
  readonly findFinal: (deposit: DepositId, parts: readonly BlobId[]) => Promise<Upload | undefined>
  /** All that began before `time`, oldest first, finished ones too. */
  readonly begunBefore: (time: string) => Promise<readonly Upload[]>
}

export interface UploadWriter extends UploadReader {
  readonly insert: (upload: Upload) => Promise<void>
  /**
   * Changes how many bytes an upload has, or has announced so far; false where it is finished or
   * gone.
   */
  readonly resize: (id: BlobId, size: number, lengthDeferred?: true) => Promise<boolean>
  /** Notes that the file is there; false where the upload is finished or gone. */
  readonly finish: (id: BlobId, now: string) => Promise<boolean>
  /** False where there was no such upload. */
  readonly remove: (id: BlobId) => Promise<boolean>
  /** Removes all of a deposit; answers those that were not finished. */
  readonly removeAll: (deposit: DepositId) => Promise<readonly BlobId[]>
}

export interface UsageReader {
  /**
   * Bytes of a user: those stored, each blob once, and those that unfinished uploads announced, with
   * those of the rows of the files that they become.
   */
  readonly of: (owner: UserId) => Promise<number>
  /**
   * Bytes of a user's documents, of what was published of them, of rows of files (`rowBytes`), of
   * history and comments, and of answers kept. Of a unit of
   * work they may lack what others, or the unit itself, have changed and not committed.
   */
  readonly metadata: (owner: UserId) => Promise<number>
  /** {@link of} and {@link metadata}, with the account of the user: one question. */
  readonly holding: (owner: UserId) => Promise<Holding>
  /** The same bytes by kind: their sum is that of {@link of} and {@link metadata}. */
  readonly breakdown: (owner: UserId) => Promise<Usage>
}

/** Bytes of a user that count against the quota. */
export interface Usage {
  readonly files: number
  /** Announced by uploads that are not finished, with those of rows. */
  readonly uploads: number
  /** Documents, revisions of records, history, comments, and rows of files. */
  readonly metadata: number
  /** Answers kept for an `Idempotency-Key`. */
  readonly answers: number
}

/** The bytes that a user has, and what says how many they may have. */
export interface Holding {
  readonly stored: number
  readonly metadata: number
  readonly account?: Pick<Account, 'email' | 'quota'>
}

export function sumOfUsage({ files, uploads, metadata, answers }: Usage): number {
  return files + uploads + metadata + answers
}

export interface UsageWriter extends UsageReader {
  /**
   * Demands that {@link UsageReader.of} and {@link UsageReader.metadata} tell at most so many bytes of
   * a user together when the unit ends, whatever others add at the same time.
   */
  readonly hold: (owner: UserId, most: number) => Promise<void>
  /**
   * Waits for other units that have locked what a user has. What is read of it from then on holds
   * until the unit ends.
   *
   * @returns false where nothing can have changed since the unit began: units run one after another
   */
  readonly lock: (owner: UserId) => Promise<boolean>
}

export interface IntentReader {
  /** When a blob was last said to be on its way: ISO 8601, UTC. */
  readonly find: (id: BlobId) => Promise<string | undefined>
  /** Ids of intents that are older than `time`, oldest first. */
  readonly before: (time: string, limit: number) => Promise<readonly BlobId[]>
}

/**
 * Blobs that are about to be written to a store that cannot be listed cheaply, noted before their
 * first byte: so the remains of a crash are found from the rows.
 */
export interface IntentWriter extends IntentReader {
  /**
   * Says that a blob is on its way, or still is.
   *
   * @returns false where it was given up since: it must not be finished then
   */
  readonly renew: (id: BlobId, now: string) => Promise<boolean>
  /**
   * Gives a blob up whose intent is older than `time`; from then on it cannot be finished.
   *
   * @returns false where it is not to be removed: it has a row, or is still on its way
   */
  readonly giveUp: (id: BlobId, time: string) => Promise<boolean>
  readonly remove: (id: BlobId) => Promise<void>
  /** Removes intents older than `time` whose blobs have rows by now. */
  readonly removeSettled: (time: string) => Promise<void>
}
