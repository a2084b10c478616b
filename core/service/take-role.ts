import type { Caller, UserId } from '../access/caller.ts'
import { hasRight, isLower, peopleOf, roleOf, type Person } from '../access/rights.ts'
import { firstOwner, type Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { indexDeposit } from './change-deposit.ts'
import type { Parts } from './parts.ts'
import { charge, savePeople, withoutOffer, withoutOfferTo, type Asked } from './shared-deposit.ts'

/** The role that a person keeps, a lower one; absent where they keep none. */
interface Taking {
  readonly kept?: Person
  readonly now: string
}

/**
 * Takes the role of a person, or lowers it; on the drafts of next versions, too: who has it there
 * could publish the next version of a record that is shared with them no more.
 *
 * @throws {DepositError} last_owner, quota_exceeded
 */
export async function takeRole(
  parts: Parts,
  unit: UnitOfWork,
  asked: Asked,
  deposit: Deposit,
  person: Person,
  taking: Taking,
): Promise<Deposit> {
  const saved = await takeHere(parts, unit, asked, deposit, person, taking)
  const drafts = deposit.record ? await unit.deposits.nextVersions(deposit.concept) : []
  for (const draft of drafts) {
    const there = peopleOf(draft).find(({ user }) => user === person.user)
    if (!there || !isTakenThere(asked, draft, { there, person, kept: taking.kept })) continue
    const without = await takeHere(parts, unit, asked, draft, there, taking)
    unit.afterCommit(() => indexDeposit(parts, without, draft))
  }
  if (!taking.kept) await unit.invitations.release(person.user)
  return saved
}

/**
 * Whether a role that somebody loses goes on a draft of a next version. Those who were made an owner
 * of the draft alone stay it, and so does a draft’s last owner; other owners’ drafts are theirs.
 */
function isTakenThere(
  { caller }: Asked,
  draft: Deposit,
  { there, person, kept }: { there: Person; person: Person; kept: Person | undefined },
): boolean {
  const isOwn = typeof caller !== 'string' && caller.user === person.user
  if (!isOwn && !hasRight(roleOf(caller, draft), 'manage')) return false
  if (kept && !isLower(kept.role, there.role)) return false
  if (there.role !== 'owner') return true
  // The first owner is removed by another one alone.
  const isHeld = draft.owners.length === 1 || (isOwn && firstOwner(draft) === person.user)
  return person.role === 'owner' && !isHeld
}

async function takeHere(
  parts: Parts,
  unit: UnitOfWork,
  asked: Asked,
  deposit: Deposit,
  person: Person,
  { kept, now }: Taking,
): Promise<Deposit> {
  const { user, role } = person
  if (role === 'owner') return dropOwner(parts, unit, asked, deposit, kept ?? person, now)
  const others = peopleOf(deposit).filter((each) => each.user !== user)
  if (kept) return savePeople(unit, deposit, [...others, kept], now)
  return savePeople(unit, withoutOfferTo(deposit, user), others, now)
}

/**
 * Takes the ownership of a person.
 *
 * @param as the person with the role that they keep; with that of an owner they keep none
 * @throws {DepositError} last_owner, quota_exceeded
 */
async function dropOwner(
  parts: Parts,
  unit: UnitOfWork,
  { caller }: Asked,
  deposit: Deposit,
  as: Person,
  now: string,
): Promise<Deposit> {
  const { user } = as
  const people = peopleOf(deposit)
  const kept = people.filter((each) => each.user !== user)
  const owners = kept.filter(({ role }) => role === 'owner')
  if (owners.length === 0) throw problem('last_owner')
  const rest = as.role === 'owner' ? kept : [...kept, as]
  const offered = deposit.offer?.by === user ? withoutOffer(deposit) : deposit
  const next = withoutOfferTo(offered, user)
  if (user !== firstOwner(deposit)) return savePeople(unit, next, rest, now)
  // Whose quota it counts against: no choice of theirs would have made it so otherwise.
  const heir = await findHeir(unit, caller, owners, user)
  const first = rest.filter((each) => each.user === heir)
  const shared = [...first, ...rest.filter((each) => each.user !== heir)]
  return charge(parts, unit, user, heir, () => savePeople(unit, next, shared, now))
}

/** The owner who comes first when the first one goes. @throws {DepositError} last_owner */
async function findHeir(
  { accounts }: UnitOfWork,
  caller: Caller,
  owners: readonly Person[],
  former: UserId,
): Promise<UserId> {
  const asking = typeof caller === 'string' ? undefined : caller
  const own = owners.find(({ user }) => user === asking?.user)
  if (own) return own.user
  if (asking?.user !== former || asking.admin) {
    for (const { user } of owners) {
      const account = await accounts.find(user)
      if (account && !account.disabled) return user
    }
  }
  throw problem('last_owner', {
    message:
      'The deposit counts against the quota of its first owner, so it is handed over first: ' +
      'transfer it to another owner, who accepts.',
  })
}
