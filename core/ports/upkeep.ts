import type { Blob, BlobId } from '../files/file.ts'
import type { RecordManifest } from './manifest-store.ts'
import type { PublishedRecord } from '../record/record.ts'

/** Something wrong with a row, or with the database as a whole (then `id` is empty). */
export interface RowFault {
  readonly table: string
  readonly id: string
  readonly message: string
}

/** A use of a blob: its key, and the deposit or record. */
export interface BlobUse {
  readonly key: string
  readonly deposit?: string
  /** Value of the record, where it was published. */
  readonly record?: string
  /** Set for a file that was deleted and can be brought back. */
  readonly isDeleted?: true
}

/** The outcome of reading a blob. */
export interface BlobCheck {
  readonly id: BlobId
  /** ISO 8601, UTC. */
  readonly checked: string
  /** The fault of the bytes; null for none. */
  readonly damage: string | null
}

/** Which readings are no good any more. ISO 8601, UTC. */
export interface DueTime {
  /** Blobs that were last read before this time are due again. */
  readonly before: string
  /** A reading later than now was made under a wrong clock: its time is not known. */
  readonly now: string
}

/** Progress of the readings of blobs. */
export interface CheckTotals {
  readonly blobs: number
  /** Bytes of all blobs. */
  readonly size: number
  /** When the blob that waits longest was read; undefined where there is none to read again. */
  readonly oldest?: string
  readonly never: number
  readonly damaged: number
}

/** An operator's questions about the rows, beside the service and without delaying it. */
export interface Upkeep {
  /**
   * Finds every fault of the rows in one snapshot: digests of every document, dangling references,
   * totals, and the integrity of the store itself.
   *
   * @param depth `quick` leaves out what reads every index of the store
   */
  readonly inspect: (depth: 'quick' | 'full') => AsyncIterable<RowFault>

  /** Writes all that is committed to a new database file at `path`; its bytes are durable. */
  readonly snapshot: (path: string) => Promise<void>

  /**
   * Overwrites what deleted and changed rows have left in the files of the database. It takes as long
   * as copying the database, and as much room; changes wait for it.
   */
  readonly forget: () => Promise<void>

  /** Blobs that wait to be read, those that wait longest first. */
  readonly dueBlobs: (time: DueTime, limit: number) => Promise<readonly Blob[]>

  readonly checkTotals: () => Promise<CheckTotals>

  /** The number of damaged blobs; cheap, unlike {@link checkTotals}. */
  readonly damaged: () => Promise<number>

  readonly usesOf: (blob: BlobId) => Promise<readonly BlobUse[]>

  /** Revisions of records whose manifest was not written yet, oldest first. */
  readonly unmanifested: (limit: number) => Promise<readonly PublishedRecord[]>
}

/** Changes of the rows by upkeep. */
export interface UpkeepWriter {
  /** Remembers what readings have shown. */
  readonly recordChecks: (checks: readonly BlobCheck[]) => Promise<void>
  /** Keeps the CRC-32 of blobs; those that are gone are left out. */
  readonly recordCrc32s: (sums: ReadonlyMap<BlobId, number>) => Promise<void>
  /** Keeps the further digests of a blob, by algorithm; of one that is gone, nothing. */
  readonly recordDigests: (id: BlobId, digests: Readonly<Record<string, string>>) => Promise<void>
  /** Says that the manifest of a revision is durable. */
  readonly markManifested: (record: PublishedRecord) => Promise<void>
  /** Lets the manifest of a revision be written again; without it, those of all of a record. */
  readonly dropManifested: (value: string, revision?: number) => Promise<void>
  /** Makes the rows of a record and its deposit from all of its manifests, oldest first. */
  readonly restoreRecord: (manifests: readonly RecordManifest[]) => Promise<void>
}

/** Something a check has found. */
export interface Finding {
  /**
   * `damage`: data is lost or changed. `garbage`: bytes that a crash or a failure left, which no
   * row names. `strange`: a file that this service did not make.
   */
  readonly kind: 'damage' | 'garbage' | 'strange'
  /** Table or kind of file. */
  readonly subject: string
  /** Id of the row or blob, or path of the file. */
  readonly name: string
  readonly message: string
  /** Uses of damaged bytes. */
  readonly uses?: readonly BlobUse[]
}

/**
 * Name of the diagnostics channel on which a database publishes each commit, for metrics.
 *
 * @see node:diagnostics_channel
 */
export const commitChannel = 'deposit.database.commit'

export interface Commit {
  /** Units of work that shared it. */
  readonly units: number
}

/** The database was migrated by a newer program than this one. */
export class DatabaseTooNew extends Error {
  constructor(found: number, known: number) {
    super(`The database has schema version ${found}; this program knows up to ${known}.`)
    this.name = 'DatabaseTooNew'
  }
}

/** The database cannot keep all texts. */
export class DatabaseUnfit extends Error {
  override readonly name = 'DatabaseUnfit'
}
