import { actionsScope, ofOtherDeposit, writeScope, type Scope } from '../contract/scopes.ts'
import type { Deposit } from './deposit.ts'
import { isProblem, problem } from '../errors/errors.ts'
import type { Caller, User } from '../access/caller.ts'
import { hasRight, roleOf, type Right } from '../access/rights.ts'

/** Whether a user may do something to a deposit; undefined stands for one that is to be made. */
export type AccessCheck = (user: User, deposit: Deposit | undefined) => boolean

/** The scopes that a token must have, and the check that its user must pass. */
export interface Permission {
  readonly check: AccessCheck
  readonly scopes: readonly Scope[]
  /** The deposit must be indexed. */
  readonly needsIndex: boolean
  /** What it is asked for: the rights of links follow from it alone. */
  readonly right?: Right
}

/** The four permission points of an endpoint. @see Specification, "Authentication" */
export interface Permissions {
  readonly read: Permission
  readonly create: Permission
  readonly update: Permission
  readonly delete: Permission
}

/** A permission by a check over the deposit and a list of scopes. */
export function scopePermission(check: AccessCheck, ...scopes: readonly Scope[]): Permission {
  return { check, scopes, needsIndex: false }
}

/** As {@link scopePermission}, with the write scope. */
export function writeScopePermission(check: AccessCheck): Permission {
  return scopePermission(check, writeScope)
}

/** As {@link writeScopePermission}, for a deposit that is indexed. */
export function indexedWriteScopePermission(check: AccessCheck): Permission {
  return { ...writeScopePermission(check), needsIndex: true }
}

/** Those whose role on the deposit has a right. Administrators pass every check without being asked. */
function may(right: Right): AccessCheck {
  return (user, deposit) => deposit !== undefined && hasRight(roleOf(user, deposit), right)
}

/** True for an owner of the deposit. */
export const isOwner: AccessCheck = may('manage')

/** True for owners and editors. */
export const isEditor: AccessCheck = may('update')

/** True for everybody with a role on the deposit. */
export const isReader: AccessCheck = may('read')

export const isAnyone: AccessCheck = () => true

export const defaultPermissions: Permissions = {
  read: { ...scopePermission(isReader), needsIndex: true },
  create: writeScopePermission(isAnyone),
  update: writeScopePermission(isEditor),
  delete: writeScopePermission(isOwner),
}

/** Running an action: who may update may act, but with the scope for actions. */
export function actionPermission({ update }: Permissions): Permission {
  return { ...update, scopes: [actionsScope] }
}

/** Changing who has which right on a deposit: its owners alone, whatever an operator lets others do. */
export const managePermission = writeScopePermission(isOwner)

/**
 * Lets `caller` pass, or says what is missing.
 *
 * @throws {DepositError} unauthenticated: there is no token
 * @throws {DepositError} insufficient_scope: the token lacks a scope
 * @throws {DepositError} permission_denied: the deposit belongs to another user, or the token is for another deposit
 */
export function requirePermission(caller: Caller, permission: Permission, deposit?: Deposit): void {
  if (caller === 'system') return
  if (caller === 'anonymous') throw problem('unauthenticated')
  if (caller.link) requireLinkRight(caller, permission, deposit)
  const missing = permission.scopes.find((scope) => !caller.scopes.has(scope))
  if (missing) throw problem('insufficient_scope', { scope: missing })
  if (caller.onlyDeposit !== undefined && caller.onlyDeposit !== deposit?.id) {
    throw problem('permission_denied', { message: ofOtherDeposit })
  }
  if (permission.needsIndex && deposit?.indexed === false) {
    throw problem('permission_denied', { message: 'The deposit is not indexed yet.' })
  }
  if (caller.link) return
  if (!caller.admin && !permission.check(caller, deposit)) throw problem('permission_denied')
}

/** No rule of an operator is asked: the holder of a link is no user. */
function requireLinkRight(caller: User, { right }: Permission, deposit?: Deposit): void {
  const role = deposit ? roleOf(caller, deposit) : 'stranger'
  if (right === undefined || !hasRight(role, right))
    throw problem('permission_denied', { message: 'A link does not give this right.' })
}

/** As {@link requirePermission}, as a question. */
export function isPermitted(...asked: Parameters<typeof requirePermission>): boolean {
  try {
    requirePermission(...asked)
    return true
  } catch (error) {
    if (isProblem(error)) return false
    throw error
  }
}
