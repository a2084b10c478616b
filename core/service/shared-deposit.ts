import type { Caller, User, UserId } from '../access/caller.ts'
import { markOf, sharedWith, type AddressMark, type Person } from '../access/rights.ts'
import { writeScope } from '../contract/scopes.ts'
import { firstOwner, type Deposit } from '../deposit/deposit.ts'
import { problem, wrongField } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { ExpectedRevision } from './authorize.ts'
import { requireLeft, roomOf } from './limits.ts'
import type { Parts } from './parts.ts'

/** Which deposit is asked for, by whom, and at which revision. */
export interface Asked {
  readonly caller: Caller
  readonly id: DepositId
  readonly expected?: ExpectedRevision
}

/** People who have a role on deposits of one owner, or are offered one. */
const mostKnown = 1000

/** Deposits of one owner that they share with one person, who was not asked. */
const mostShared = 1000

/**
 * Bounds what one owner puts into the lists of others, and with how many: with an account or
 * invited, so that a refusal does not tell which it is. Administrators may do more.
 *
 * @param user absent for an address that nobody has named so far, and that has no account
 * @throws {DepositError} quota_exceeded
 */
export async function requireFewShared(
  { deposits }: UnitOfWork,
  caller: Caller,
  deposit: Deposit,
  user: UserId | undefined,
): Promise<void> {
  if (typeof caller === 'string' || caller.admin) return
  const owner = firstOwner(deposit)
  const shared = user === undefined ? 0 : await deposits.countShared(owner, user)
  if (shared >= mostShared) {
    throw problem('quota_exceeded', {
      per: 'A user',
      limit: mostShared,
      of: 'deposits that are shared with one person',
      next: 'Remove the person from deposits that they do not need any more, or ask an administrator to add them.',
    })
  }
  if (shared > 0 || (await deposits.countPeople(owner)) < mostKnown) return
  throw problem('quota_exceeded', {
    per: 'A user',
    limit: mostKnown,
    of: 'people to share deposits with',
    next: 'Remove those who do not need a role any more, or ask an administrator to add them.',
  })
}

/** Whether an address is the one by which the owners know a person; old roles do not say. */
export function isKnownAs(user: UserId, named: AddressMark | undefined, email: string): boolean {
  return named === undefined || named === markOf(user, email)
}

/** The id of the account with an address, or the one that it will have. */
export async function userFor(
  { invitations }: UnitOfWork,
  caller: Caller,
  email: string,
  now: string,
): Promise<UserId> {
  const known = await invitations.find(email)
  return (
    known ?? invitations.invite(email, now, typeof caller === 'string' ? undefined : caller.user)
  )
}

/** @throws {DepositError} unauthenticated, permission_denied, insufficient_scope */
export function requireAccount(caller: Caller): User {
  if (typeof caller === 'string') throw problem('unauthenticated')
  if (caller.link || caller.onlyDeposit !== undefined) throw problem('permission_denied')
  if (!caller.scopes.has(writeScope)) throw problem('insufficient_scope', { scope: writeScope })
  return caller
}

/**
 * Saves a deposit with another first owner, against whose quota it counts from then on.
 *
 * @throws {DepositError} quota_exceeded: the receiver has no room
 */
export async function charge(
  parts: Parts,
  unit: UnitOfWork,
  from: UserId,
  to: UserId,
  hand: () => Promise<Deposit>,
): Promise<Deposit> {
  // Also where an administrator asks: it is the receiver's room.
  const room = await roomOf(parts, unit, 'system', to)
  const saved = await hand()
  const bytes = await unit.deposits.charge(saved, from, to)
  await requireLeft(parts, unit, { ...room, user: to }, bytes)
  return saved
}

/** Saves a deposit with these people, owners first; links end with the ownership of their makers. */
export async function savePeople<Kind extends Deposit>(
  unit: UnitOfWork,
  deposit: Kind,
  people: readonly Person[],
  now: string,
): Promise<Kind> {
  const saved = await unit.deposits.save(sharedWith(deposit, people), now)
  // Links are good as long as those who made them may make them.
  for (const user of deposit.owners)
    if (!saved.owners.includes(user)) await unit.links.revokeBy(deposit.id, user, now)
  // The manifests of the record name the people.
  if (saved.record) await unit.upkeep.dropManifested(saved.record.value)
  return saved
}

export function withoutOffer(deposit: Deposit): Deposit {
  const { offer: _, ...rest } = deposit
  return rest
}

export function withoutOfferTo(deposit: Deposit, user: UserId): Deposit {
  return deposit.offer?.to === user ? withoutOffer(deposit) : deposit
}

/** @throws {DepositError} malformed_request */
export function requireEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (/^[^\s@,;<>"\p{Cc}\p{Cf}]+@[^\s@,;<>"\p{Cc}\p{Cf}]+$/u.test(email)) return email
  throw wrongField('malformed_request', 'user', `"${text}" is no e-mail address.`)
}
