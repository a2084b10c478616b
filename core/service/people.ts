import type { UserId } from '../access/caller.ts'
import {
  hasRight,
  isLower,
  markOf,
  peopleOf,
  personRoleOf,
  roleOf,
  type Person,
  type PersonRole,
} from '../access/rights.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Readers, UnitOfWork } from '../ports/database.ts'
import { authorize, findDeposit, requireRevision } from './authorize.ts'
import { changeDeposit, indexDeposit } from './change-deposit.ts'
import type { Parts } from './parts.ts'
import {
  isKnownAs,
  requireAccount,
  requireEmail,
  requireFewShared,
  savePeople,
  userFor,
  type Asked,
} from './shared-deposit.ts'
import { takeRole } from './take-role.ts'
import { accept, findOffer, transfer, withdraw, type Transfer } from './transfers.ts'

/** Somebody with a role, and their e-mail address where it is known. */
export interface KnownPerson extends Person {
  readonly email?: string | undefined
}

/** A deposit that somebody was removed from, and drafts of its next version that they stay on. */
export interface Removal {
  readonly deposit: Deposit
  /** Those from which the caller may remove them as well. */
  readonly stillOn: readonly DepositId[]
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
   * @throws {DepositError} quota_exceeded: the deposit has too many people; or its first owner shares too
   *   many deposits with the person, or deposits with too many people
   */
  readonly put: (
    asked: Asked,
    email: string,
    role: PersonRole,
  ) => Promise<{ readonly deposit: Deposit; readonly person: KnownPerson }>

  /**
   * Takes the role of a person. Another owner who removes the first one takes their place. Drafts of
   * the next version on which they stay are named.
   *
   * @throws {DepositError} not_found: the person has no role
   * @throws {DepositError} last_owner: it is the last owner, or the first one who asks
   */
  readonly remove: (asked: Asked, user: string) => Promise<Removal>

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

export function createPeople(parts: Parts): People {
  return {
    list: (asked) => list(parts, asked),
    put: (asked, email, role) => put(parts, asked, email, role),
    remove: (asked, user) => remove(parts, asked, user),
    leave: (asked) => leave(parts, asked),
    transfer: (asked, email) => transfer(parts, asked, email),
    offer: (asked) => findOffer(parts, asked),
    withdraw: (asked) => withdraw(parts, asked),
    accept: (asked) => accept(parts, asked),
  }
}

async function list(parts: Parts, { caller, id }: Asked): Promise<readonly KnownPerson[]> {
  const deposit = await authorize(parts, caller, id, 'read')
  if (typeof caller !== 'string' && caller.link)
    throw problem('permission_denied', { message: 'A link does not show who has access.' })
  const emails = await emailsOf(parts.database.read, deposit)
  return peopleOf(deposit).map((person) => ({ ...person, email: emails.get(person.user) }))
}

/**
 * The e-mail addresses of the people of a deposit, as those who share it may know them: somebody who
 * was named by another address, and has a new one, is not told by it.
 */
export async function emailsOf(
  { invitations }: Pick<Readers, 'invitations'>,
  deposit: Deposit,
): Promise<ReadonlyMap<UserId, string>> {
  const people = peopleOf(deposit)
  const emails = await invitations.emailsOf(people.map(({ user }) => user))
  const told = people.flatMap(({ user, named }) => {
    const email = emails.get(user)
    if (email === undefined || !isKnownAs(user, named, email)) return []
    return [[user, email] as const]
  })
  return new Map(told)
}

async function put(parts: Parts, asked: Asked, address: string, role: PersonRole) {
  const email = requireEmail(address)
  const change = { ...asked, intent: 'share' as const }
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
    if (!known) await requireFewShared(unit, asked.caller, found, account)
    const user = account ?? (await userFor(unit, asked.caller, email, now))
    const named = markOf(user, email)
    if (known?.role === role && isKnownAs(user, known.named, email))
      return { deposit: found, answer: { ...known, email } }
    const since = known?.role === role ? known.since : now
    const person = { user, role, since, named }
    if (known?.role === role) {
      const same = people.map((each) => (each.user === user ? person : each))
      return { deposit: await savePeople(unit, found, same, now), answer: { ...person, email } }
    }
    const others = people.filter((each) => each.user !== user)
    const saved =
      known && isLower(role, known.role)
        ? await takeRole(parts, unit, asked, found, known, { kept: person, now })
        : await savePeople(unit, found, [...others, person], now)
    return { deposit: saved, answer: { ...person, email } }
  })
  return { deposit, person: answer }
}

async function remove(parts: Parts, asked: Asked, name: string): Promise<Removal> {
  const change = { ...asked, intent: 'share' as const }
  const { deposit, answer: stillOn } = await changeDeposit(
    parts,
    change,
    async (found, unit, now) => {
      const person = peopleOf(found).find(({ user }) => user === name)
      if (!person) throw problem('not_found')
      const saved = await takeRole(parts, unit, asked, found, person, { now })
      const drafts = found.record ? await unit.deposits.nextVersions(found.concept) : []
      const left = drafts.filter(
        (draft) =>
          personRoleOf(person.user, draft) !== undefined &&
          hasRight(roleOf(asked.caller, draft), 'manage'),
      )
      return { deposit: saved, answer: left.map(({ id }) => id) }
    },
  )
  return { deposit, stillOn }
}

async function leave(parts: Parts, asked: Asked): Promise<void> {
  const { user } = requireAccount(asked.caller)
  await parts.database.write(async (unit) => {
    const found = await findDeposit(unit, asked.id, parts.pidType)
    const person = peopleOf(found).find((each) => each.user === user)
    if (!person) throw problem('permission_denied', { message: 'You have no role on the deposit.' })
    requireRevision(found, asked.expected)
    const now = parts.clock.now()
    const saved = await takeRole(parts, unit, asked, found, person, { now })
    unit.afterCommit(() => indexDeposit(parts, saved, found))
  })
}

/** Drops the invitations to a deposit that is gone, where they are to no other. */
export async function releaseInvitations(
  { invitations }: UnitOfWork,
  { people = [], offer }: Deposit,
): Promise<void> {
  for (const { user } of people) await invitations.release(user)
  if (offer) await invitations.release(offer.to)
}
