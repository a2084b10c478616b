import {
  actionPermission,
  curationPermission,
  managePermission,
  requireGoodToken,
  requirePermission,
  reviewPermissions,
  sharePermission,
  type Permission,
  type Permissions,
} from '../deposit/permissions.ts'
import type { Review } from '../access/review-rights.ts'
import type { Right } from '../access/rights.ts'
import { withFields } from '../deposit/document.ts'
import { withoutMakers } from '../deposit/without-makers.ts'
import type { Caller } from '../access/caller.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { isProblem, problem } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Parts } from './parts.ts'
import type { BucketId } from '../files/file.ts'
import type { DepositReader } from '../ports/deposits.ts'
import type { PidReader } from '../ports/pids.ts'

/**
 * An operation on a deposit that needs a permission. `share` changes who has which right; `curate` is
 * an action that curators run as well; `revise` is a change of the document, which curators make where
 * it is submitted; `submit` sends it to reviewers and takes it back; `judge` returns or accepts it;
 * `comment` is for both sides.
 */
export type Intent = Right | 'share' | 'curate' | 'revise' | 'submit' | 'judge' | 'comment'

/** The revisions a caller is content to change; undefined where any will do. */
export type ExpectedRevision = readonly number[] | undefined

/**
 * Says early whether a request may go on, before its body is read. The use case asks again inside
 * its transaction.
 *
 * @param found the deposit of `id`, where the same request has read it
 * @throws {DepositError} unauthenticated, deposit_not_found, deposit_deleted, moved
 * @throws {DepositError} insufficient_scope, permission_denied, stale_revision
 */
export async function authorize(
  parts: Parts,
  caller: Caller,
  id: DepositId,
  intent: Intent,
  expected?: ExpectedRevision,
  found?: Deposit,
): Promise<Deposit> {
  // Without a token the answer does not reveal which deposits exist.
  if (caller === 'anonymous') throw problem('unauthenticated')
  const { read } = parts.database
  const deposits = found ? { find: async () => found } : read.deposits
  const deposit = await findDeposit({ deposits, pids: read.pids }, id, parts.pidType)
  requirePermission(caller, permissionFor(parts, intent), deposit)
  requireRevision(deposit, expected)
  return shownTo(caller, deposit)
}

/**
 * As {@link authorize}, of a request that was answered before: where that has left no deposit to be
 * asked about, the token is still asked for its scopes, and for which deposit it is.
 *
 * @returns undefined where the deposit is gone
 */
export async function authorizeRepeated(
  parts: Parts,
  caller: Caller,
  id: DepositId,
  intent: Intent,
): Promise<Deposit | undefined> {
  try {
    return await authorize(parts, caller, id, intent)
  } catch (error) {
    if (!isProblem(error, 'deposit_deleted', 'deposit_not_found')) throw error
    if (typeof caller !== 'string') requireGoodToken(caller, permissionFor(parts, intent), id)
    return undefined
  }
}

/**
 * A deposit as a caller may see it: no link shows who has reviewed or submitted it, or what they
 * said, as none shows comments; some hide who made it.
 */
export function shownTo(caller: Caller, deposit: Deposit): Deposit {
  if (typeof caller === 'string' || !caller.link) return deposit
  if (caller.link.anonymous) return withoutMakers(deposit)
  return deposit.review ? withFields(deposit, { review: withoutUsers(deposit.review) }) : deposit
}

function withoutUsers({ by: _, submittedBy: __, message: ___, ...review }: Review): Review {
  return review
}

/** @throws {DepositError} unauthenticated, insufficient_scope, permission_denied */
export function authorizeCreate({ permissions }: Parts, caller: Caller): void {
  requirePermission(caller, permissions.create)
}

export function permissionFor({ permissions }: Parts, intent: Intent): Permission {
  const right = rightsOfLinks[intent]
  return { ...permissionOf(permissions, intent), ...(right && { right }) }
}

/** The right by which the holder of a link passes; those without one are for people alone. */
const rightsOfLinks: Readonly<Record<Intent, Right | undefined>> = {
  read: 'read',
  update: 'update',
  revise: 'update',
  act: 'act',
  curate: 'act',
  delete: 'delete',
  manage: 'manage',
  share: 'manage',
  submit: undefined,
  judge: undefined,
  comment: undefined,
}

function permissionOf(permissions: Permissions, intent: Intent): Permission {
  switch (intent) {
    case 'manage':
      return managePermission
    case 'share':
      return sharePermission
    case 'act':
      return actionPermission(permissions)
    case 'curate':
      return curationPermission(permissions)
    case 'revise':
    case 'submit':
    case 'judge':
    case 'comment':
      return reviewPermissions[intent](permissions)
    case 'read':
    case 'update':
    case 'delete':
      return permissions[intent]
  }
}

/** @throws {DepositError} stale_revision: the deposit is at another revision */
export function requireRevision(deposit: Deposit, expected: ExpectedRevision): void {
  if (expected && !expected.includes(deposit.revision)) {
    throw problem('stale_revision', { current: deposit.revision })
  }
}

interface Rows {
  readonly deposits: DepositReader
  readonly pids: PidReader
}

/**
 * The deposit an identifier stands for.
 *
 * @param pidType the type of the identifier: that of an endpoint
 * @throws {DepositError} deposit_not_found: there never was one, or it belongs to another endpoint
 * @throws {DepositError} deposit_deleted: there was one
 * @throws {DepositError} moved: the identifier leads to another
 */
export async function findDeposit(
  { deposits, pids }: Pick<Rows, 'pids'> & { readonly deposits: Pick<DepositReader, 'find'> },
  id: DepositId,
  pidType: string,
): Promise<Deposit> {
  const deposit = await deposits.find(id)
  if (deposit?.pidType === pidType) return deposit
  const pid = await pids.find({ type: pidType, value: id })
  if (pid?.status === 'D') throw problem('deposit_deleted')
  if (pid?.redirect) throw problem('moved', pid.redirect)
  throw problem('deposit_not_found')
}

/**
 * The deposit whose files are in `bucket`.
 *
 * @throws {DepositError} deposit_not_found: there is no such bucket
 */
export async function findByBucket({ deposits }: Rows, bucket: BucketId): Promise<Deposit> {
  const deposit = await deposits.findByBucket(bucket)
  if (!deposit) throw problem('deposit_not_found', { message: 'The bucket does not exist.' })
  return deposit
}
