import {
  actionsScope,
  givesNoRights,
  ofOtherDeposit,
  writeScope,
  type Scope,
} from '../contract/scopes.ts'
import type { Deposit } from './deposit.ts'
import { isProblem, problem } from '../errors/errors.ts'
import type { Caller, User } from '../access/caller.ts'
import { hasRight, roleOf, type Right, type Role } from '../access/rights.ts'
import { hasReviewRight, type ReviewRight } from '../access/review-rights.ts'

/** Whether a user may do something to a deposit; undefined stands for one that is to be made. */
export type AccessCheck = (user: Asker, deposit: Deposit | undefined) => boolean

/** A user as a check sees them. */
export interface Asker extends User {
  /** The same as `user`. */
  readonly id: User['user']
  /** Empty unless an external issuer says more. */
  readonly groups: readonly string[]
  readonly claims: Readonly<Record<string, unknown>>
}

/** The scopes that a token must have, and the check that its user must pass. */
export interface Permission {
  readonly check: AccessCheck
  readonly scopes: readonly Scope[]
  /** The deposit must be indexed. */
  readonly needsIndex: boolean
  /** What it is asked for: the rights of links follow from it alone. */
  readonly right?: Right
  /** Lets curators pass as well, where the deposit was published. */
  readonly isForCurators?: true
  /** Lets those pass as well who have this right on drafts that are submitted for review. */
  readonly review?: ReviewRight
  /** Refuses tokens that are for one deposit alone, also for that one. */
  readonly isForWholeTokens?: true
  /** A scope that does in place of all the others. */
  readonly orScope?: Scope
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
function may(right: Right): (user: User, deposit: Deposit | undefined) => boolean {
  return (user, deposit) => {
    if (deposit === undefined) return false
    const role = roleOf(user, deposit)
    return hasRight(role, right) && !isShutOut(role, deposit)
  }
}

/** What was withdrawn is shown to none of those whom its owners shared it with. */
function isShutOut(role: Role, { withdrawal }: Deposit): boolean {
  return withdrawal !== undefined && role !== 'owner' && role !== 'administrator'
}

/** True for an owner of the deposit. */
export const isOwner = may('manage')

/** True for owners and editors. */
export const isEditor = may('update')

/** True for everybody with a role on the deposit. */
export const isReader = may('read')

export const isAnyone: AccessCheck = () => true

export const defaultPermissions: Permissions = {
  read: { ...scopePermission(isReader), needsIndex: true, isForCurators: true, review: 'read' },
  create: writeScopePermission(isAnyone),
  update: writeScopePermission(isEditor),
  delete: writeScopePermission(isOwner),
}

/** Running an action: who may update may act, but with the scope for actions. */
export function actionPermission({ update }: Permissions): Permission {
  return { ...update, scopes: [actionsScope] }
}

/** Seeing links and offers of a deposit: its owners alone, whatever an operator lets others do. */
export const managePermission = writeScopePermission(isOwner)

/**
 * Changing who has which right on a deposit. Who can give rights can let somebody act, so a token
 * that cannot act, or is for one deposit alone, changes none.
 */
export const sharePermission: Permission = {
  ...scopePermission(isOwner, writeScope, actionsScope),
  isForWholeTokens: true,
}

/** The same, of an action that curators run on what was published. */
export function curationPermission(permissions: Permissions): Permission {
  return { ...actionPermission(permissions), isForCurators: true }
}

/** A permission to read, with which curators see what was published. */
export function openToCurators(permission: Permission): Permission {
  return { ...permission, isForCurators: true, review: 'read' }
}

const isNobody: AccessCheck = () => false

/** The permissions of a review, made of those of an endpoint. */
export const reviewPermissions = {
  /** Changing the document. */
  revise: ({ update }: Permissions): Permission => ({ ...update, review: 'correct' }),
  /**
   * Submitting and taking back: who may change a draft may, also with a token that cannot publish,
   * so that a program can stop where a person goes on.
   */
  submit: ({ update }: Permissions): Permission => ({ ...update, orScope: actionsScope }),
  /** Returning and accepting: a role of the service alone gives that. */
  judge: (_: Permissions): Permission => ({
    ...scopePermission(isNobody, actionsScope),
    review: 'judge',
  }),
  comment: ({ update }: Permissions): Permission => ({ ...update, review: 'judge' }),
} as const

function mayReview(user: User, { review }: Permission, deposit?: Deposit): boolean {
  return review !== undefined && hasReviewRight(user, review, deposit)
}

function mayCurate({ roles }: User, { isForCurators }: Permission, deposit?: Deposit): boolean {
  return isForCurators === true && roles.has('curator') && deposit?.record !== undefined
}

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
  requireGoodToken(caller, permission, deposit?.id)
  if (permission.needsIndex && deposit?.indexed === false) {
    throw problem('permission_denied', { message: 'The deposit is not indexed yet.' })
  }
  if (caller.link) return
  if (caller.admin || mayCurate(caller, permission, deposit)) return
  if (mayReview(caller, permission, deposit)) return
  if (!permission.check(toAsker(caller), deposit)) throw problem('permission_denied')
}

/**
 * Asks what a permission asks of a token: its scopes, and the deposit it is for.
 *
 * @param id of the deposit that it is used on; undefined for one that is to be made
 * @throws {DepositError} insufficient_scope, permission_denied
 */
export function requireGoodToken(
  { scopes: given, onlyDeposit }: User,
  { scopes, orScope, isForWholeTokens }: Permission,
  id: string | undefined,
): void {
  const isEnough = orScope !== undefined && given.has(orScope)
  const missing = isEnough ? undefined : scopes.find((scope) => !given.has(scope))
  if (missing) throw problem('insufficient_scope', { scope: missing })
  if (onlyDeposit !== undefined && onlyDeposit !== id)
    throw problem('permission_denied', { message: ofOtherDeposit })
  if (isForWholeTokens && onlyDeposit !== undefined)
    throw problem('permission_denied', { message: givesNoRights })
}

function toAsker(user: User): Asker {
  const { groups = [], claims = {} } = user
  return { ...user, id: user.user, groups, claims }
}

/** Whether a user, with whatever token, passes the check of a permission. Holders of links are no users. */
export function passesCheck(caller: Caller, { check }: Permission, deposit: Deposit): boolean {
  if (typeof caller === 'string') return caller === 'system'
  return !caller.link && (caller.admin || check(toAsker(caller), deposit))
}

/** No rule of an operator is asked: the holder of a link is no user. */
function requireLinkRight(caller: User, { right }: Permission, deposit?: Deposit): void {
  const role = deposit ? roleOf(caller, deposit) : 'stranger'
  const isOut = deposit !== undefined && isShutOut(role, deposit)
  if (right === undefined || isOut || !hasRight(role, right))
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
