import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
import type { BucketId } from '../files/file.ts'
import type { UserId } from '../access/caller.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Visibility } from '../search/visibility.ts'

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
  /** The drafts of next versions of a concept, of any owner, never published yet. */
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
  /** The deposits of a concept whose records were withdrawn, in any order. */
  readonly withdrawnVersions: (concept: string) => Promise<readonly Deposit[]>
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
