import type { Caller, User, UserId } from '../access/caller.ts'
import {
  markOf,
  peopleOf,
  sharedWith,
  type AddressMark,
  type Offer,
  type Person,
  type PersonRole,
} from '../access/rights.ts'
import { firstOwner, type Deposit } from '../deposit/deposit.ts'
import { writeScope } from '../contract/scopes.ts'
import { problem, wrongField } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { authorize, findDeposit, requireRevision, type ExpectedRevision } from './authorize.ts'
import { changeDeposit, indexDeposit } from './change-deposit.ts'
import { requireLeft, roomOf } from './limits.ts'
import type { Parts } from './parts.ts'

/** Somebody with a role, and their e-mail address where it is known. */
export interface KnownPerson extends Person {
  readonly email?: string | undefined
}

/** Which deposit is asked for, by whom, and at which revision. */
interface Asked {
  readonly caller: Caller
  readonly id: DepositId
  readonly expected?: ExpectedRevision
}

/** A deposit that was offered to somebody, or went to them at once. */
export interface Transfer {
  readonly deposit: Deposit
  readonly user: UserId
  /** Absent where they have another one since. */
  readonly email: string | undefined
  readonly since: string
  readonly isDone: boolean
}

/** The use cases of the people of a deposit. Each asks for permission itself. */
export interface People {
  /** Everybody with a role, owners first. Holders of links are refused. */
  readonly list: (asked: Asked) => Promise<readonly KnownPerson[]>

  /**
   * Gives a person a role, or another one. Nothing tells whether the address has an account: without
   * one it is an invitation, and the account that is made with the address takes it.
   *
   * @param email in any case
   * @throws {DepositError} last_owner: the role of the last owner would go
   * @throws {DepositError} quota_exceeded: there are too many people
   */
  readonly put: (
    asked: Asked,
    email: string,
    role: PersonRole,
  ) => Promise<{ readonly deposit: Deposit; readonly person: KnownPerson }>

  /**
   * Takes the role of a person. Another owner who removes the first one takes their place.
   *
   * @throws {DepositError} not_found: the person has no role
   * @throws {DepositError} last_owner: it is the last owner, or the first one who asks
   */
  readonly remove: (asked: Asked, user: string) => Promise<Deposit>

  /**
   * Takes the caller's own role, which anybody may give up.
   *
   * @throws {DepositError} permission_denied: they have none, or a token that is not theirs alone
   * @throws {DepositError} last_owner: it is the last owner, or the first one
   */
  readonly leave: (asked: Asked) => Promise<void>

  /**
   * Offers the place of the first owner, or of the owner who asks; an administrator gives it at once.
   *
   * @throws {DepositError} malformed_request, quota_exceeded
   */
  readonly transfer: (asked: Asked, email: string) => Promise<Transfer>

  /** The offer that stands. @throws {DepositError} not_found: there is none */
  readonly offer: (asked: Asked) => Promise<Omit<Transfer, 'isDone'>>

  /** Takes an offer back. @throws {DepositError} not_found: there is none */
  readonly withdraw: (asked: Asked) => Promise<Deposit>

  /**
   * Takes over a deposit that was offered to the caller: it counts against their quota from then on.
   *
   * @throws {DepositError} permission_denied: it was not offered to them
   * @throws {DepositError} quota_exceeded: they have no room for it
   */
  readonly accept: (asked: Asked) => Promise<Deposit>
}

/** People of one deposit. */
const mostPeople = 200

/** People without an account whom one user has given a role, or offered a deposit. */
const mostInvitations = 500

export function createPeople(parts: Parts): People {
  return {
    list: (asked) => list(parts, asked),
    put: (asked, email, role) => put(parts, asked, email, role),
    remove: (asked, user) => remove(parts, asked, user),
    leave: (asked) => leave(parts, asked),
    transfer: (asked, email) => transfer(parts, asked, email),
    offer: (asked) => findOffer(parts, asked),
    withdraw: async (asked) => {
      const change = { ...asked, intent: 'manage' as const }
      const { deposit } = await changeDeposit(parts, change, async (found, unit, now) => {
        if (!found.offer) throw problem('not_found')
        const saved = await unit.deposits.save(withoutOffer(found), now)
        await unit.invitations.release({ user: found.offer.to })
        return { deposit: saved, answer: undefined }
      })
      return deposit
    },
    accept: (asked) => accept(parts, asked),
  }
}

async function list(parts: Parts, { caller, id }: Asked): Promise<readonly KnownPerson[]> {
  const deposit = await authorize(parts, caller, id, 'read')
  if (typeof caller !== 'string' && caller.link)
    throw problem('permission_denied', { message: 'A link does not show who has access.' })
  const emails = await emailsOf(parts, deposit)
  return peopleOf(deposit).map((person) => ({ ...person, email: emails.get(person.user) }))
}

/**
 * The e-mail addresses of the people of a deposit, as those who share it may know them: somebody who
 * was named by another address, and has a new one, is not told by it.
 */
export async function emailsOf(
  { database }: Parts,
  deposit: Deposit,
): Promise<ReadonlyMap<UserId, string>> {
  const people = peopleOf(deposit)
  const emails = await database.read.invitations.emailsOf(people.map(({ user }) => user))
  const told = people.flatMap(({ user, named }) => {
    const email = emails.get(user)
    if (email === undefined || !isKnownAs(user, named, email)) return []
    return [[user, email] as const]
  })
  return new Map(told)
}

function isKnownAs(user: UserId, named: AddressMark | undefined, email: string): boolean {
  return named === undefined || named === markOf(user, email)
}

/**
 * The id of the account with an address, or the one that it will have.
 *
 * @throws {DepositError} quota_exceeded: the caller has too many open invitations
 */
async function userFor(
  { invitations }: UnitOfWork,
  caller: Caller,
  email: string,
  now: string,
): Promise<UserId> {
  const known = await invitations.find(email)
  if (known !== undefined) return known
  const by = typeof caller === 'string' ? undefined : caller.user
  if (by !== undefined && (await invitations.countBy(by)) >= mostInvitations) {
    await invitations.release({ by })
    if ((await invitations.countBy(by)) >= mostInvitations)
      throw problem('quota_exceeded', {
        per: 'A user',
        limit: mostInvitations,
        of: 'open invitations',
        next: 'Remove people who have not taken theirs, or ask them to sign up.',
      })
  }
  return invitations.invite(email, now, by)
}

async function put(parts: Parts, asked: Asked, address: string, role: PersonRole) {
  const email = requireEmail(address)
  const change = { ...asked, intent: 'manage' as const }
  const { deposit, answer } = await changeDeposit(parts, change, async (found, unit, now) => {
    const people = peopleOf(found)
    const account = await unit.invitations.find(email)
    const known = people.find((each) => each.user === account)
    if (!known && people.length >= mostPeople)
      throw problem('quota_exceeded', {
        limit: mostPeople,
        of: 'people',
        next: 'Nobody was added.',
      })
    const user = account ?? (await userFor(unit, asked.caller, email, now))
    const named = markOf(user, email)
    if (known?.role === role && isKnownAs(user, known.named, email))
      return { deposit: found, answer: { ...known, email } }
    const since = known?.role === role ? known.since : now
    const person = { user, role, since, named }
    if (known?.role === role) {
      const same = people.map((each) => (each.user === user ? person : each))
      return { deposit: await save(unit, found, same, now), answer: { ...person, email } }
    }
    const others = people.filter((each) => each.user !== user)
    const saved =
      known?.role === 'owner'
        ? await dropOwner(parts, unit, asked, found, person, now)
        : await save(unit, found, [...others, person], now)
    return { deposit: saved, answer: { ...person, email } }
  })
  return { deposit, person: answer }
}

async function remove(parts: Parts, asked: Asked, name: string): Promise<Deposit> {
  const change = { ...asked, intent: 'manage' as const }
  const { deposit } = await changeDeposit(parts, change, async (found, unit, now) => {
    const person = peopleOf(found).find(({ user }) => user === name)
    if (!person) throw problem('not_found')
    return { deposit: await drop(parts, unit, asked, found, person, now), answer: undefined }
  })
  return deposit
}

async function leave(parts: Parts, asked: Asked): Promise<void> {
  const { user } = requireAccount(asked.caller)
  await parts.database.write(async (unit) => {
    const found = await findDeposit(unit, asked.id, parts.pidType)
    const person = peopleOf(found).find((each) => each.user === user)
    if (!person) throw problem('permission_denied', { message: 'You have no role on the deposit.' })
    requireRevision(found, asked.expected)
    const saved = await drop(parts, unit, asked, found, person, parts.clock.now())
    unit.afterCommit(() => indexDeposit(parts, saved, found))
  })
}

/** Takes the role of a person. @throws {DepositError} last_owner */
async function drop(
  parts: Parts,
  unit: UnitOfWork,
  asked: Asked,
  deposit: Deposit,
  person: Person,
  now: string,
): Promise<Deposit> {
  const { user } = person
  const others = peopleOf(deposit).filter((each) => each.user !== user)
  const saved =
    person.role === 'owner'
      ? await dropOwner(parts, unit, asked, deposit, person, now)
      : await save(unit, withoutOfferTo(deposit, user), others, now)
  await unit.invitations.release({ user })
  return saved
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
  if (user !== firstOwner(deposit)) return save(unit, next, rest, now)
  // Whose quota it counts against: no choice of theirs would have made it so otherwise.
  const heir = await findHeir(unit, caller, owners, user)
  const first = rest.filter((each) => each.user === heir)
  const shared = [...first, ...rest.filter((each) => each.user !== heir)]
  return charge(parts, unit, user, heir, () => save(unit, next, shared, now))
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

async function transfer(parts: Parts, asked: Asked, address: string): Promise<Transfer> {
  const email = requireEmail(address)
  const change = { ...asked, intent: 'manage' as const }
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
    const to = await userFor(unit, caller, email, now)
    if (to === by) throw wrongField('malformed_request', 'user', 'You have it already.')
    const offer: Offer = { to, by, since: now, named: markOf(to, email) }
    const saved = await unit.deposits.save({ ...found, offer }, now)
    if (found.offer) await unit.invitations.release({ user: found.offer.to })
    return { deposit: saved, answer: { user: to, since: now, isDone: false } }
  })
  return { deposit, email, ...answer }
}

/** The owner whose place is given: the one who asks, or the first. */
function ownPlace(deposit: Deposit, caller: Caller): UserId {
  const user = typeof caller === 'string' ? undefined : caller.user
  return deposit.owners.find((owner) => owner === user) ?? firstOwner(deposit)
}

async function findOffer(parts: Parts, { caller, id }: Asked): Promise<Omit<Transfer, 'isDone'>> {
  const deposit = await authorize(parts, caller, id, 'manage')
  const { offer } = deposit
  if (!offer) throw problem('not_found')
  const { to, since, named } = offer
  const email = (await parts.database.read.invitations.emailsOf([to])).get(to)
  const isTold = email !== undefined && isKnownAs(to, named, email)
  return { deposit, user: to, email: isTold ? email : undefined, since }
}

async function accept(parts: Parts, { caller, id }: Asked): Promise<Deposit> {
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

/** @throws {DepositError} unauthenticated, permission_denied, insufficient_scope */
function requireAccount(caller: Caller): User {
  if (typeof caller === 'string') throw problem('unauthenticated')
  if (caller.link || caller.onlyDeposit !== undefined) throw problem('permission_denied')
  if (!caller.scopes.has(writeScope)) throw problem('insufficient_scope', { scope: writeScope })
  return caller
}

/** Puts somebody in the place of an owner, who has no role from then on. */
async function handOver(
  parts: Parts,
  unit: UnitOfWork,
  deposit: Deposit,
  { to, by, named }: Offer,
  now: string,
): Promise<Deposit> {
  if (to === by) throw wrongField('malformed_request', 'user', 'They have it already.')
  const former = firstOwner(deposit)
  const heir: Person = { user: to, role: 'owner', since: now, ...(named && { named }) }
  const people = peopleOf(deposit)
    .filter(({ user }) => user !== to)
    .map((person) => (person.user === by ? heir : person))
  const hand = () => save(unit, withoutOffer(deposit), people, now)
  return by === former ? charge(parts, unit, former, to, hand) : hand()
}

/**
 * Saves a deposit with another first owner, against whose quota it counts from then on.
 *
 * @throws {DepositError} quota_exceeded: the receiver has no room
 */
async function charge(
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

async function save<Kind extends Deposit>(
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

/** Drops the invitations to a deposit that is gone, where they are to no other. */
export async function releaseInvitations(
  { invitations }: UnitOfWork,
  { people = [], offer }: Deposit,
): Promise<void> {
  for (const { user } of people) await invitations.release({ user })
  if (offer) await invitations.release({ user: offer.to })
}

function withoutOffer(deposit: Deposit): Deposit {
  const { offer: _, ...rest } = deposit
  return rest
}

function withoutOfferTo(deposit: Deposit, user: UserId): Deposit {
  return deposit.offer?.to === user ? withoutOffer(deposit) : deposit
}

/** @throws {DepositError} malformed_request */
function requireEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (/^[^\s@,;<>"\p{Cc}\p{Cf}]+@[^\s@,;<>"\p{Cc}\p{Cf}]+$/u.test(email)) return email
  throw wrongField('malformed_request', 'user', `"${text}" is no e-mail address.`)
}
