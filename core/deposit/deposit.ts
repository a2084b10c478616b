import type { UserId } from '../access/caller.ts'
import type { Offer, Sharing } from '../access/rights.ts'
import type { Review } from '../access/review-rights.ts'
import type { BucketId } from '../files/file.ts'
import type { JsonObject } from '../base/json.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { RecordRef } from '../record/record.ts'
import type { Withdrawal } from '../record/withdrawal.ts'
import { problem, refused } from '../errors/errors.ts'

/**
 * A document of metadata with a set of files.
 *
 * A published deposit always has a record; the type says so. Operations that need one status take
 * that status's type, so a wrong call inside the core does not compile.
 *
 * @see Specification, "Deposit"
 */
export type Deposit = DraftDeposit | PublishedDeposit

interface DepositFields extends Sharing {
  readonly id: DepositId
  /** Type of its identifier: which endpoint the deposit belongs to. */
  readonly pidType: string
  readonly bucket: BucketId
  readonly owners: readonly UserId[]
  readonly createdBy: UserId
  /** Set while it is offered to somebody who may take it over. */
  readonly offer?: Offer
  /** Set where a caller may not see who made it: identifiers and owners are left out. */
  readonly hidesMakers?: true
  /** Path of the deposit's schema in the registry; null where its record's schema has no twin. */
  readonly schema: string | null
  /** The user's document: without `_deposit` and `$schema`. */
  readonly metadata: JsonObject
  /** Raised by one with every change of the deposit, its files included. */
  readonly revision: number
  /** Revision of the record that the last edit started from: `_deposit.pid`. */
  readonly base?: number
  /** Value of the identifier that all versions have in common. */
  readonly concept: string
  /** Value of the record this deposit is a new version of: the version before it. */
  readonly predecessor?: string
  /** Set where its record was withdrawn. */
  readonly withdrawal?: Withdrawal
  /** Set where it is or was reviewed. */
  readonly review?: Review
  /**
   * Those who could change the draft and have no such role any more: a draft that they may have worked
   * on is not theirs to review. Until it is published.
   */
  readonly formerEditors?: readonly UserId[]
  /** False only where indexing failed. */
  readonly indexed: boolean
  /** ISO 8601, UTC; never decreasing. */
  readonly created: string
  readonly updated: string
}

export interface DraftDeposit extends DepositFields {
  readonly status: 'draft'
  /** Set where the deposit was published before. */
  readonly record?: RecordRef
}

export interface PublishedDeposit extends DepositFields {
  readonly status: 'published'
  readonly record: RecordRef
}

/** The owner by whom lists are filtered, and whose quota the deposit counts against. */
export function firstOwner({ owners, createdBy }: Pick<Deposit, 'owners' | 'createdBy'>): UserId {
  return owners[0] ?? createdBy
}

/**
 * Narrows `deposit` to a draft.
 *
 * @throws {DepositError} invalid_action: the deposit is published
 * @see Specification, "States and transitions"
 */
export function requireDraft(deposit: Deposit, operation: string): asserts deposit is DraftDeposit {
  if (deposit.status !== 'draft') throw refused(operation, 'published')
}

/**
 * Narrows `deposit` to a published one.
 *
 * @throws {DepositError} invalid_action: the deposit is a draft
 */
export function requirePublished(
  deposit: Deposit,
  operation: string,
): asserts deposit is PublishedDeposit {
  if (deposit.status === 'published') return
  throw refused(operation, deposit.record ? 'edited' : 'never_published')
}

/**
 * Demands that the draft does not wait for reviewers: they accept what they looked at.
 *
 * @throws {DepositError} invalid_action
 */
export function requireNotSubmitted({ id, review }: Deposit, operation: string): void {
  if (review?.state === 'submitted') throw refused(operation, 'submitted', id)
}

/**
 * Demands that the set of files may change: a draft that was never published.
 *
 * @throws {DepositError} invalid_action: the deposit is published
 * @throws {DepositError} files_frozen: the draft was published before
 * @see Contract §3.4
 */
export function requireOpenFiles(
  deposit: Deposit,
  operation: string,
): asserts deposit is DraftDeposit {
  if (deposit.status !== 'draft') throw refused(operation, 'published_files', deposit.id)
  requireNotSubmitted(deposit, operation)
  if (deposit.record) throw problem('files_frozen', { operation, deposit: deposit.id })
}

/**
 * Demands a draft that nothing public depends on.
 *
 * @throws {DepositError} invalid_action: the deposit is or was published
 * @see Contract §3.4
 */
export function requireNeverPublished(
  deposit: Deposit,
  operation: string,
): asserts deposit is DraftDeposit {
  if (deposit.withdrawal) throw refused(operation, 'withdrawn_kept')
  if (deposit.status !== 'draft') throw refused(operation, 'published_kept')
  if (deposit.record) throw refused(operation, 'edited_kept')
}
