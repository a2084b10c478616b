import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
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
import type { PersistentIdentifier, PidName, PidStatus, DepositId } from '../pid/deposit-pid.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Upkeep, UpkeepWriter } from './upkeep.ts'
import type {
  AccountReader,
  AccountWriter,
  PassphraseReader,
  PassphraseWriter,
  TokenReader,
  TokenWriter,
} from './accounts.ts'
import type {
  ClientReader,
  ClientWriter,
  IssuerReader,
  IssuerWriter,
  SharedSecretReader,
  SharedSecretWriter,
} from './issuer.ts'
import type { AnnouncedFileReader, AnnouncedFileWriter } from './announced-files.ts'
import type { CommentReader, CommentWriter } from './review.ts'
import type { AuditReader, AuditWriter } from './audit.ts'
import type { AnswerReader, AnswerWriter } from './answers.ts'
import type {
  IntentReader,
  IntentWriter,
  UploadReader,
  UploadWriter,
  UsageReader,
  UsageWriter,
} from './uploads.ts'
import type { HistoryReader, HistoryWriter } from './history.ts'
import type { IdentifierReader, IdentifierWriter } from './identifiers.ts'
import type { InvitationReader, InvitationWriter, LinkReader, LinkWriter } from './sharing.ts'
import type { RowsSeal } from './rows-seal.ts'
import type { SharedLocks } from './shared-locks.ts'
import type { TrashReader, TrashWriter } from './trash.ts'
import type { TermReader, TermWriter } from './terms.ts'
import type { Visibility } from '../search/visibility.ts'

/** The number of files, and the sum of their bytes. */
export interface FileTotals {
  readonly count: number
  readonly size: number
}

/** A page of rows in a fixed order; equal rows are ordered by id. */
export interface ListRequest {
  readonly visibility: Visibility
  /** Of the deposits' identifiers; absent for all. */
  readonly pidType?: string
  readonly status?: Deposit['status']
  /** Newest change first, or oldest first. */
  readonly order: 'newest' | 'oldest'
  readonly offset: number
  readonly limit: number
}

/** A page of the drafts that wait for reviewers. */
export type SubmittedRequest = Pick<ListRequest, 'visibility' | 'pidType' | 'offset' | 'limit'>

/** The name of a row, with the bytes of its document. */
export interface Measured<Name> {
  readonly name: Name
  readonly bytes: number
}

export interface DepositReader {
  readonly find: (id: DepositId) => Promise<Deposit | undefined>
  readonly findByBucket: (bucket: BucketId) => Promise<Deposit | undefined>
  /** The draft that these owners have of the next version of a concept, never published yet. */
  readonly findNextVersion: (
    concept: string,
    owners: readonly UserId[],
  ) => Promise<DraftDeposit | undefined>
  /** The drafts of next versions of a concept, never published yet, whoever owns them. */
  readonly nextVersions: (concept: string) => Promise<readonly DraftDeposit[]>
  /** The draft that a concept was minted for, as long as it has no version. */
  readonly findFirstOf: (concept: string) => Promise<Deposit | undefined>
  /** In the order of `ids`; those that do not exist are left out. */
  readonly findAll: (ids: readonly DepositId[]) => Promise<readonly Deposit[]>
  /** The bytes of documents, in the order of `ids`; those that do not exist are left out. */
  readonly measure: (ids: readonly DepositId[]) => Promise<readonly Measured<DepositId>[]>
  /** As {@link findAll}, no more at once than a few hundred kilobytes of documents. */
  readonly batchesOf: (found: readonly Measured<DepositId>[]) => AsyncIterable<readonly Deposit[]>
  readonly list: (request: ListRequest) => Promise<readonly DepositId[]>
  /** Ids of drafts that wait for reviewers, longest first, and how many there are. */
  readonly submitted: (
    request: SubmittedRequest,
  ) => Promise<{ readonly ids: readonly DepositId[]; readonly total: number }>
  /** Deposits that a caller can see, by status: the `status` facet of a listing. */
  readonly countByStatus: (
    visibility: Visibility,
    pidType?: string,
  ) => Promise<Record<Deposit['status'], number>>
  /** Types of identifiers that deposits have, hidden ones too, beside `depid` and those `known`. */
  readonly otherPidTypes: (known: readonly string[]) => Promise<readonly string[]>
  /** Deposits whose records were withdrawn, last change first; so many at most. */
  readonly withdrawn: (limit: number) => Promise<readonly Deposit[]>
  /** Deposits whose first owner a user is, hidden ones too; so many at most. */
  readonly ownedBy: (user: UserId, limit: number) => Promise<readonly DepositId[]>
  /** Deposits on which a user has a role, as an owner too, or that are offered to or by them; so many at most. */
  readonly sharedWith: (user: UserId, limit: number) => Promise<readonly DepositId[]>
  /** The number of deposits of one first owner that another user finds. */
  readonly countShared: (owner: UserId, user: UserId) => Promise<number>
  /** The number of people who have a role on deposits of one first owner, or are offered one. */
  readonly countPeople: (owner: UserId) => Promise<number>
  /**
   * Deposits that a user has created, submitted or changed as a draft, hidden ones too, in the order
   * of ids; so many at most, after one of them.
   */
  readonly madeBy: (user: UserId, after: string, limit: number) => Promise<readonly DepositId[]>
  /** Ids of deposits that went out of sight before a time (ISO 8601, UTC), oldest first. */
  readonly hiddenBefore: (time: string) => Promise<readonly DepositId[]>
  /** The number of each deposit: 1 for the first, never given twice. Those that never were are left out. */
  readonly numbersOf: (ids: readonly DepositId[]) => Promise<ReadonlyMap<DepositId, number>>
  /** The deposit that was given a number, also where it is hidden or was deleted since. */
  readonly findNumbered: (number: number) => Promise<DepositId | undefined>
  /** The lowest number among the deposits of each concept. */
  readonly firstNumbers: (concepts: readonly string[]) => Promise<ReadonlyMap<string, number>>
  /** Every visible deposit in the order of ids, a batch at a time, each read afresh. */
  readonly each: (visibility: Visibility) => AsyncIterable<Deposit>
}

export interface DepositWriter extends DepositReader {
  /**
   * Finds a deposit as it is now, and lets no other unit change it or its files before this one ends.
   * What is asked for after it, even before it has answered, is answered as others have left it.
   */
  readonly lock: (id: DepositId) => Promise<Deposit | undefined>
  readonly insert: (deposit: DraftDeposit) => Promise<void>
  /**
   * Stores the deposit with its revision raised by one, and answers it so.
   *
   * @throws {DepositError} stale_revision: the stored deposit is not at `deposit.revision`
   */
  readonly save: <Kind extends Deposit>(deposit: Kind, now: string) => Promise<Kind>
  /**
   * Lets the files of a deposit, and its unfinished uploads, count as another user's.
   *
   * @returns bytes that it has with its documents, which follow its first owner
   */
  readonly charge: (deposit: Deposit, from: UserId, to: UserId) => Promise<number>
  /** Raises the revision alone, after a change of the deposit's files; as {@link save}. */
  readonly touch: <Kind extends Deposit>(deposit: Kind, now: string) => Promise<Kind>
  /** Stores who has changed a draft, which {@link save} and {@link touch} do as well. */
  readonly noteMakers: (deposit: Pick<Deposit, 'id' | 'makers' | 'status'>) => Promise<void>
  /** Whether indexing succeeded; this is no change of the deposit. */
  readonly markIndexed: (id: DepositId, indexed: boolean) => Promise<void>
  /** Puts the deposit out of sight of every reader, its row and files kept. */
  readonly hide: (id: DepositId, since: string) => Promise<void>
  /** A deposit that is out of sight, and since when. */
  readonly findHidden: (
    id: DepositId,
  ) => Promise<{ readonly deposit: Deposit; readonly since: string } | undefined>
  /** Brings a hidden deposit back; false where none was hidden under `id`. */
  readonly show: (id: DepositId) => Promise<boolean>
  /** Gives up the identifiers that it reserved; its history goes with it. */
  readonly remove: (id: DepositId) => Promise<void>
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

/** What there is before a file is put under a key. */
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
  /** Lets `to` hold the latest versions of all files of `from`; no byte is copied. */
  readonly carryOver: (from: BucketId, to: BucketId) => Promise<void>
  /** Removes a file with its versions for good; answers the blobs that nothing refers to any more. */
  readonly remove: (file: DepositFile) => Promise<readonly BlobId[]>
  /** Other deposits whose files have bytes of this bucket, at most as many as given. */
  readonly sharing: (bucket: BucketId, most: number) => Promise<readonly DepositId[]>
  /** Removes all files of a bucket, its trash too; answers the blobs that nothing refers to any more. */
  readonly removeAll: (bucket: BucketId) => Promise<readonly BlobId[]>
}

export interface BlobReader {
  readonly find: (id: BlobId) => Promise<Blob | undefined>
  /** The CRC-32 of each blob for which it was recorded. */
  readonly crc32s: (ids: readonly BlobId[]) => Promise<ReadonlyMap<BlobId, number>>
  /** Every blob that a row names, in the order of ids. */
  readonly each: () => AsyncIterable<Blob>
}

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

export interface PidReader {
  readonly find: (name: PidName) => Promise<PersistentIdentifier | undefined>
}

export interface PidWriter extends PidReader {
  readonly insert: (...pids: readonly PersistentIdentifier[]) => Promise<void>
  /**
   * @param now set where harvesters are to hear of it: the record was last changed then. ISO 8601,
   *   UTC
   */
  readonly setStatus: (name: PidName, status: PidStatus, now?: string) => Promise<void>
  /**
   * Lets `name` lead to `target` from now on (status `M`). The record it stood for was last changed
   * then, so that harvesters hear of it.
   *
   * @param now ISO 8601, UTC
   */
  readonly redirect: (name: PidName, target: PidName, now: string) => Promise<void>
}

/** Committed rows, as they are when each question is asked. */
export interface Readers {
  readonly deposits: DepositReader
  readonly files: FileReader
  readonly blobs: BlobReader
  readonly records: RecordReader
  readonly pids: PidReader
  readonly accounts: AccountReader
  readonly tokens: TokenReader
  readonly passphrases: PassphraseReader
  readonly clients: ClientReader
  readonly issuer: IssuerReader
  readonly uploads: UploadReader
  readonly usage: UsageReader
  readonly answers: AnswerReader
  readonly sharedSecrets: SharedSecretReader
  readonly intents: IntentReader
  readonly identifiers: IdentifierReader
  readonly links: LinkReader
  readonly invitations: InvitationReader
  readonly audit: AuditReader
  readonly history: HistoryReader
  readonly trash: TrashReader
  readonly terms: TermReader
  readonly comments: CommentReader
  readonly announcedFiles: AnnouncedFileReader
}

/** Changes to rows. Exists only while {@link Database.write} runs; it reads its own changes. */
export interface UnitOfWork {
  readonly deposits: DepositWriter
  readonly files: FileWriter
  readonly records: RecordWriter
  readonly pids: PidWriter
  readonly accounts: AccountWriter
  readonly tokens: TokenWriter
  readonly upkeep: UpkeepWriter
  readonly passphrases: PassphraseWriter
  readonly clients: ClientWriter
  readonly issuer: IssuerWriter
  readonly uploads: UploadWriter
  readonly usage: UsageWriter
  readonly answers: AnswerWriter
  readonly sharedSecrets: SharedSecretWriter
  readonly intents: IntentWriter
  readonly identifiers: IdentifierWriter
  readonly links: LinkWriter
  readonly invitations: InvitationWriter
  readonly audit: AuditWriter
  readonly history: HistoryWriter
  readonly trash: TrashWriter
  readonly terms: TermWriter
  readonly comments: CommentWriter
  readonly announcedFiles: AnnouncedFileWriter
  /**
   * Runs `task` once the change is durable, before {@link Database.write} answers; never when it
   * rolls back. A task that fails is logged: the change stands.
   */
  readonly afterCommit: (task: () => Promise<void>) => void
  /**
   * Called before a unit decides upon rows beside those that {@link UnitOptions.isLocal} names: a
   * local unit ends here, and is run again as one that is not.
   */
  readonly requireWhole: () => void
}

/** How a unit of work may run beside others. */
export interface UnitOptions {
  /**
   * Set for a unit that decides upon nothing but the one deposit that it makes, or has locked
   * ({@link DepositWriter.lock}), with its files and uploads, the room of the owner
   * ({@link UsageWriter.hold}), and answers under a key.
   */
  readonly isLocal?: boolean
}

/** The rows of the service. */
export interface Database extends AsyncDisposable {
  readonly read: Readers
  readonly upkeep: Upkeep

  /**
   * Runs `work` as one unit: all of its changes or none, durable before the promise resolves.
   *
   * Units that wait together share a transaction and its sync, so nothing else is stored while
   * `work` runs: do not await the network, a blob or a timer inside it. A unit is retried if its
   * transaction fails through no fault of its own: change nothing but rows in it.
   *
   * @throws {DepositError} storage_full: there is no room
   * @throws {DepositError} storage_degraded: the store failed; reads go on, writes are refused from now on
   */
  readonly write: <Result>(
    work: (unit: UnitOfWork) => Promise<Result>,
    options?: UnitOptions,
  ) => Promise<Result>

  /** False once the store failed. */
  readonly isWritable: () => boolean

  /** Undefined where other processes change the rows as well. */
  readonly seal?: RowsSeal

  /** True if other daemons may use the same rows; state that all of them share is kept there. */
  readonly isShared: boolean

  /**
   * Makes this daemon the one that does `work`, of all that share the rows, until the answer is
   * disposed of.
   *
   * @returns undefined while another daemon does it
   */
  readonly lead: (work: string) => Promise<AsyncDisposable | undefined>

  /** Undefined where no other daemon uses the rows. */
  readonly locks?: SharedLocks

  /**
   * Stands for what reads see now: another object as soon as they may see anything else. So what
   * was made of rows is good while this stays the same. Undefined where other processes change the
   * rows as well: there nothing may be kept.
   */
  readonly view: () => object | undefined
}
