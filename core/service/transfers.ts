import type { Caller, UserId } from '../access/caller.ts'
import { newestOf } from '../actions/next-version-right.ts'
import { markOf, peopleOf, type Offer, type Person } from '../access/rights.ts'
import { firstOwner, type Deposit } from '../deposit/deposit.ts'
import { problem, wrongField } from '../errors/errors.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { authorize, findDeposit } from './authorize.ts'
import { changeDeposit, indexDeposit } from './change-deposit.ts'
import type { Parts } from './parts.ts'
import {
  charge,
  isKnownAs,
  requireAccount,
  requireEmail,
  requireFewShared,
  savePeople,
  userFor,
  withoutOffer,
  type Asked,
} from './shared-deposit.ts'

/** A deposit that was offered to somebody, or went to them at once. */
export interface Transfer {
  readonly deposit: Deposit
  readonly user: UserId
  /** Absent where they have another one since. */
  readonly email: string | undefined
  readonly since: string
  readonly isDone: boolean
}

export async function transfer(parts: Parts, asked: Asked, address: string): Promise<Transfer> {
  const email = requireEmail(address)
  const change = { ...asked, intent: 'share' as const }
  const { deposit, answer } = await changeDeposit(parts, change, async (found, unit, now) => {
    const { caller } = asked
    const isAdmin = typeof caller === 'string' || caller.admin
    const by = ownPlace(found, caller)
    if (isAdmin) {
      const account = await unit.accounts.findByEmail(email)
      if (!account || account.disabled)
        throw wrongField('malformed_request', 'user', `There is no user ${email}.`)
      const saved = await handOver(parts, unit, found, { to: account.id, by, since: now }, now)
      return { deposit: saved, answer: { user: account.id, since: now, isDone: true } }
    }
    await requireFewShared(unit, caller, found, await unit.invitations.find(email))
    const to = await userFor(unit, caller, email, now)
    if (to === by) throw wrongField('malformed_request', 'user', 'You have it already.')
    const offer: Offer = { to, by, since: now, named: markOf(to, email) }
    const saved = await unit.deposits.save({ ...found, offer }, now)
    if (found.offer) await unit.invitations.release(found.offer.to)
    return { deposit: saved, answer: { user: to, since: now, isDone: false } }
  })
  return { deposit, email, ...answer }
}

/** The owner whose place is given: the one who asks, or the first. */
function ownPlace(deposit: Deposit, caller: Caller): UserId {
  const user = typeof caller === 'string' ? undefined : caller.user
  return deposit.owners.find((owner) => owner === user) ?? firstOwner(deposit)
}

export async function findOffer(
  parts: Parts,
  { caller, id }: Asked,
): Promise<Omit<Transfer, 'isDone'>> {
  const deposit = await authorize(parts, caller, id, 'manage')
  const { offer } = deposit
  if (!offer) throw problem('not_found')
  const { to, since, named } = offer
  const email = (await parts.database.read.invitations.emailsOf([to])).get(to)
  const isTold = email !== undefined && isKnownAs(to, named, email)
  return { deposit, user: to, email: isTold ? email : undefined, since }
}

/** Takes an offer back. */
export async function withdraw(parts: Parts, asked: Asked): Promise<Deposit> {
  const change = { ...asked, intent: 'share' as const }
  const { deposit } = await changeDeposit(parts, change, async (found, unit, now) => {
    if (!found.offer) throw problem('not_found')
    const saved = await unit.deposits.save(withoutOffer(found), now)
    await unit.invitations.release(found.offer.to)
    return { deposit: saved, answer: undefined }
  })
  return deposit
}

export async function accept(parts: Parts, { caller, id }: Asked): Promise<Deposit> {
  const receiver = requireAccount(caller)
  await parts.blobs.requireRoomForRows()
  return parts.database.write(async (unit) => {
    const found = await findDeposit(unit, id, parts.pidType)
    const { offer } = found
    if (!offer || offer.to !== receiver.user || !found.owners.includes(offer.by))
      throw problem('permission_denied', { message: 'The deposit was not offered to you.' })
    const saved = await handOver(parts, unit, found, offer, parts.clock.now())
    unit.afterCommit(() => indexDeposit(parts, saved, found))
    return saved
  })
}

/**
 * Puts somebody in the place of an owner, who has no role from then on. The drafts of the next
 * version go along with the newest version: nobody else could publish them.
 */
async function handOver(
  parts: Parts,
  unit: UnitOfWork,
  deposit: Deposit,
  offer: Offer,
  now: string,
): Promise<Deposit> {
  if (offer.to === offer.by) throw wrongField('malformed_request', 'user', 'They have it already.')
  const saved = await handOverOne(parts, unit, deposit, offer, now)
  const newest = deposit.record && (await newestOf(unit, deposit.concept))
  if (newest?.id !== deposit.id) return saved
  for (const draft of await unit.deposits.nextVersions(deposit.concept)) {
    if (!draft.owners.includes(offer.by)) continue
    const gone = await handOverOne(parts, unit, draft, offer, now)
    unit.afterCommit(() => indexDeposit(parts, gone, draft))
    if (draft.offer && draft.offer.to !== offer.to) await unit.invitations.release(draft.offer.to)
  }
  return saved
}

async function handOverOne(
  parts: Parts,
  unit: UnitOfWork,
  deposit: Deposit,
  { to, by, named }: Offer,
  now: string,
): Promise<Deposit> {
  const former = firstOwner(deposit)
  const heir: Person = { user: to, role: 'owner', since: now, ...(named && { named }) }
  const people = peopleOf(deposit)
    .filter(({ user }) => user !== to)
    .map((person) => (person.user === by ? heir : person))
  const hand = () => savePeople(unit, withoutOffer(deposit), people, now)
  return by === former ? charge(parts, unit, former, to, hand) : hand()
}
