import { FilesFrozen, InvalidAction } from '../errors.ts'
import type { Deposit, DraftDeposit, PublishedDeposit } from './deposit.ts'

/**
 * Narrows `deposit` to a draft.
 *
 * @throws {InvalidAction} the deposit is published
 * @see Specification, "States and transitions"
 */
export function requireDraft(deposit: Deposit, operation: string): asserts deposit is DraftDeposit {
  if (deposit.status === 'draft') return
  throw new InvalidAction(operation, 'The deposit is published: use the action edit first.')
}

/**
 * Narrows `deposit` to a published one.
 *
 * @throws {InvalidAction} the deposit is a draft
 */
export function requirePublished(
  deposit: Deposit,
  operation: string,
): asserts deposit is PublishedDeposit {
  if (deposit.status === 'published') return
  throw new InvalidAction(operation, 'The deposit is a draft: publish it first.')
}

/**
 * Demands that the set of files may change: a draft that was never published.
 *
 * @throws {InvalidAction} the deposit is published
 * @throws {FilesFrozen} the draft was published before
 * @see Contract §3.4
 */
export function requireOpenFiles(
  deposit: Deposit,
  operation: string,
): asserts deposit is DraftDeposit {
  requireDraft(deposit, operation)
  if (deposit.record) throw new FilesFrozen()
}

/**
 * Demands a draft that nothing public depends on.
 *
 * @throws {InvalidAction} the deposit is or was published
 * @see Contract §3.4
 */
export function requireNeverPublished(
  deposit: Deposit,
  operation: string,
): asserts deposit is DraftDeposit {
  requireDraft(deposit, operation)
  if (!deposit.record) return
  throw new InvalidAction(operation, 'The deposit was published; discard its changes instead.')
}
