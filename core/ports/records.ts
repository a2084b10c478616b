import type { BucketId } from '../files/file.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { ListRequest, Measured } from './deposits.ts'

/** When a record was last changed: `updated` of its latest revision. */
export interface RecordChange {
  readonly value: string
  readonly updated: string
  /** True where the identifier of the record leads to another: that was its last change. */
  readonly isMoved?: boolean
}

/** Changes from a time until a time, both of them included, that come after one of them. */
export interface ChangesRequest {
  readonly from?: string | undefined
  readonly until?: string | undefined
  readonly after?: RecordChange | undefined
  /** Lists records whose identifier leads to another as well. */
  readonly withMoved?: boolean
  readonly offset?: number
  readonly limit: number
}

/** With `isNewest` only the newest version of each concept. */
export interface WhichVersions {
  readonly isNewest?: boolean
}

/** A version in the chain of its concept. */
export type VersionPlace = Pick<PublishedRecord, 'concept' | 'number' | 'superseded'>

export interface RecordReader {
  /** The latest revision. */
  readonly find: (value: string) => Promise<PublishedRecord | undefined>
  readonly findByBucket: (bucket: BucketId) => Promise<PublishedRecord | undefined>
  readonly findRevision: (value: string, revision: number) => Promise<PublishedRecord | undefined>
  /** The revisions of a record, oldest first, by their number from `from` on. */
  readonly revisions: (value: string, from: number) => Promise<readonly Measured<number>[]>
  /** Numbers of the revisions of records, by value; a record that is not there has none. */
  readonly revisionNumbers: (
    values: readonly string[],
  ) => Promise<ReadonlyMap<string, ReadonlySet<number>>>
  /** Revisions by their numbers, a bounded batch at a time. */
  readonly revisionBatches: (
    value: string,
    found: readonly Measured<number>[],
  ) => AsyncIterable<readonly PublishedRecord[]>
  /** Those of `values`, in their order, that are listed. */
  readonly findAll: (values: readonly string[]) => Promise<readonly PublishedRecord[]>
  /** As those of deposits. */
  readonly measure: (values: readonly string[]) => Promise<readonly Measured<string>[]>
  /** @param which without it, those that are listed */
  readonly batchesOf: (
    found: readonly Measured<string>[],
    which?: 'withMoved',
  ) => AsyncIterable<readonly PublishedRecord[]>
  /**
   * Values; records whose identifier leads to another, and those that were withdrawn, are left out,
   * as of `count`, `eachListed`.
   */
  readonly list: (
    request: Omit<ListRequest, 'visibility' | 'pidType' | 'status'> & WhichVersions,
  ) => Promise<readonly string[]>
  /** Listed records by their last change, oldest first, and then by value, last first. */
  readonly changes: (request: ChangesRequest) => Promise<readonly RecordChange[]>
  readonly count: (which?: WhichVersions) => Promise<number>
  /** The newest version of a concept that is listed; where none is, the newest. */
  readonly findNewest: (concept: string) => Promise<PublishedRecord | undefined>
  /** The version of a concept that was published last, listed or not. */
  readonly findLast: (concept: string) => Promise<PublishedRecord | undefined>
  /** Value of the version after a record. */
  readonly findNext: (record: VersionPlace) => Promise<string | undefined>
  /** Value of the newest version before a record that is listed. */
  readonly findPrevious: (record: VersionPlace) => Promise<string | undefined>
  /** A page of the versions of a concept, newest first, with how many there are. */
  readonly versions: (
    concept: string,
    page: { readonly offset: number; readonly limit: number },
  ) => Promise<{ readonly values: readonly string[]; readonly total: number }>
  readonly eachListed: () => AsyncIterable<PublishedRecord>
  /** All there are, listed or not. */
  readonly each: () => AsyncIterable<PublishedRecord>
}

export interface RecordWriter extends RecordReader {
  /**
   * Adds the first revision.
   *
   * @returns values of the versions that it supersedes: the one before it, and the one shown so far
   */
  readonly insert: (record: PublishedRecord) => Promise<readonly string[]>
  /**
   * Adds a revision after those that are there.
   *
   * @throws {DepositError} stale_revision: `record.revision` is not the one after the latest
   */
  readonly addRevision: (record: PublishedRecord) => Promise<void>
  /**
   * Lets the newest version of a concept that is listed now be the one that is not superseded.
   *
   * @param before versions that may have been it
   * @returns values of the records that may have changed
   */
  readonly showNewest: (concept: string, before: readonly string[]) => Promise<readonly string[]>
  /**
   * Says that records were last changed now: other versions are told of in their metadata.
   *
   * @param now ISO 8601, UTC
   */
  readonly touch: (values: readonly string[], now: string) => Promise<void>
}
