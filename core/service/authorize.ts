import { actionPermission, requirePermission, type Permission } from '../deposit/permissions.ts'
import type { Caller } from '../access/caller.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import { findDeposit } from './find-deposit.ts'
import type { Parts } from './parts.ts'

/** An operation on a deposit that needs a permission. */
export type Intent = 'read' | 'update' | 'delete' | 'act'

/** The revisions a caller is content to change; undefined where any will do. */
export type ExpectedRevision = readonly number[] | undefined

/**
 * Says early whether a request may go on, before its body is read. The use case asks again inside
 * its transaction.
 *
 * @throws {DepositError} unauthenticated, deposit_not_found, deposit_deleted, moved
 * @throws {DepositError} insufficient_scope, permission_denied, stale_revision
 */
export async function authorize(
  parts: Parts,
  caller: Caller,
  id: DepositId,
  intent: Intent,
  expected?: ExpectedRevision,
): Promise<Deposit> {
  // Without a token the answer does not reveal which deposits exist.
  if (caller === 'anonymous') throw problem('unauthenticated')
  const deposit = await findDeposit(parts.database.read, id, parts.pidType)
  requirePermission(caller, permissionFor(parts, intent), deposit)
  requireRevision(deposit, expected)
  return deposit
}

/** @throws {DepositError} unauthenticated, insufficient_scope, permission_denied */
export function authorizeCreate({ permissions }: Parts, caller: Caller): void {
  requirePermission(caller, permissions.create)
}

export function permissionFor({ permissions }: Parts, intent: Intent): Permission {
  return intent === 'act' ? actionPermission(permissions) : permissions[intent]
}

/** @throws {DepositError} stale_revision: the deposit is at another revision */
export function requireRevision(deposit: Deposit, expected: ExpectedRevision): void {
  if (expected && !expected.includes(deposit.revision)) {
    throw problem('stale_revision', { current: deposit.revision })
  }
}
