import type { BlobId } from '../files/file.ts'

export interface IntentReader {
  /** When a blob was last said to be on its way: ISO 8601, UTC. */
  readonly find: (id: BlobId) => Promise<string | undefined>
  /** Ids of intents that are older than `time`, oldest first. */
  readonly before: (time: string, limit: number) => Promise<readonly BlobId[]>
}

/**
 * What is about to be written to a store that is not looked through cheaply, said before its first
 * byte: so what a crash leaves there is found from the rows.
 */
export interface IntentWriter extends IntentReader {
  /**
   * Says that a blob is on its way, or still is.
   *
   * @returns false where it was given up meanwhile: it must not be finished then
   */
  readonly renew: (id: BlobId, now: string) => Promise<boolean>
  /**
   * Gives a blob up whose intent is older than `time`, so that nobody finishes it any more.
   *
   * @returns false where it is not to be removed: it has a row, or is still on its way
   */
  readonly giveUp: (id: BlobId, time: string) => Promise<boolean>
  readonly remove: (id: BlobId) => Promise<void>
  /** Removes intents older than `time` whose blobs have rows by now. */
  readonly removeSettled: (time: string) => Promise<void>
}
