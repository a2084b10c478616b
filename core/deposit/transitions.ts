import { problem, refused } from '../errors/errors.ts'
import type { Deposit, DraftDeposit, PublishedDeposit } from './deposit.ts'

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
  if (deposit.status !== 'draft') throw refused(operation, 'published_kept')
  if (deposit.record) throw refused(operation, 'edited_kept')
}
