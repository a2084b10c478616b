import { rolesOf, type Account, type UserId } from '../access/caller.ts'
import type { Review } from '../access/review-rights.ts'
import {
  isLower,
  peopleOf,
  personRoleOf,
  sharedWith,
  type Offer,
  type Person,
} from '../access/rights.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database, UnitOfWork } from '../ports/database.ts'

/** The means of handing over: rows, and the search index where there is one. */
export interface HandOverParts {
  readonly database: Database
  readonly clock: Clock
  readonly index?: {
    readonly add: (deposit: Deposit) => Promise<void>
    readonly remove: (deposit: Deposit) => Promise<void>
  }
}

/** Deposits handed over in one unit of work. */
const atOnce = 50

interface HandOver {
  readonly progress: (done: number) => void
  readonly signal: AbortSignal
  /** Whether both accounts are one person’s: other owners know them by the same address as before. */
  readonly isSame: boolean
}

/**
 * Makes one account the first owner where another is, a few deposits at a time: stopped, it is run
 * again. Those that the other owns beside their first owner are no part of it: see {@link leaveShared}.
 *
 * @returns how many deposits there were
 */
export async function handOver(
  parts: HandOverParts,
  from: UserId,
  to: UserId,
  { progress, signal, isSame }: HandOver,
): Promise<number> {
  let done = 0
  for (;;) {
    signal.throwIfAborted()
    const ids = await parts.database.read.deposits.ownedBy(from, atOnce)
    if (ids.length === 0) return done
    await giveAll(parts, ids, { from, to, isSame })
    done += ids.length
    progress(done)
  }
}

/** A deposit before and after. */
type Pair = readonly [before: Deposit, after: Deposit]

/** Gives some deposits in one unit of work, and brings the index level. */
function giveAll(
  parts: HandOverParts,
  ids: readonly DepositId[],
  leaving: Omit<Leaving, 'now'>,
): Promise<void> {
  return changeAll(parts, ids, (unit, id, now) => giveTo(unit, id, { ...leaving, now }))
}

async function changeAll(
  { database, clock, index }: HandOverParts,
  ids: readonly DepositId[],
  change: (unit: UnitOfWork, id: DepositId, now: string) => Promise<readonly Pair[]>,
): Promise<void> {
  const changed = await database.write(async (unit) => {
    const pairs: Pair[] = []
    for (const id of ids) pairs.push(...(await change(unit, id, clock.now())))
    return pairs
  })
  for (const [before, after] of changed) {
    await index?.remove(before)
    await index?.add(after)
  }
}

interface Leaving {
  readonly from: UserId
  readonly to: UserId | undefined
  readonly isSame: boolean
  readonly now: string
}

/** @returns the deposit before and after; nothing where it is out of sight, and in no index */
async function giveTo(
  { deposits, upkeep }: UnitOfWork,
  id: DepositId,
  leaving: Leaving,
): Promise<readonly Pair[]> {
  const { now } = leaving
  const found = await deposits.find(id)
  const hidden = found ? undefined : await deposits.findHidden(id)
  const deposit = found ?? hidden?.deposit
  if (!deposit) return []
  const saved = await deposits.save(without(deposit, leaving), now)
  // The manifests of its record name the owners, with their e-mail addresses.
  if (deposit.record) await upkeep.dropManifested(deposit.record.value)
  if (!hidden) return [[deposit, saved]]
  await deposits.hide(id, hidden.since)
  return []
}

/**
 * The deposit with `to` in the place of `from`, with the higher one of both roles; without `to`, nobody
 * is. Its offer goes along where both are one person, and is void otherwise.
 */
function without(deposit: Deposit, { from, to, isSame, now }: Leaving): Deposit {
  const { offer: before, ...rest } = deposit
  const offer = before && offerAfter(before, { from, to, isSame })
  const kept: Deposit = offer ? { ...rest, offer } : rest
  const place = peopleOf(deposit).find(({ user }) => user === from)
  const heir = to !== undefined && place ? [heirOf(place, to, { isSame, now })] : []
  const known = to === undefined ? undefined : personRoleOf(to, deposit)
  const isMore =
    known === undefined ||
    (place !== undefined && (place.role === 'owner' || isLower(known, place.role)))
  const people = peopleOf(deposit).flatMap((person) => {
    if (person.user === from) return isMore ? heir : []
    return person.user === to && isMore ? [] : [person]
  })
  return sharedWith(kept, people)
}

/** @returns undefined where the offer is void: to oneself, or to or by somebody who is gone */
function offerAfter(offer: Offer, { from, to, isSame }: Omit<Leaving, 'now'>): Offer | undefined {
  if (offer.to !== from && offer.by !== from) return offer
  if (to === undefined || !isSame) return undefined
  const moved = {
    ...offer,
    to: offer.to === from ? to : offer.to,
    by: offer.by === from ? to : offer.by,
  }
  return moved.to === moved.by ? undefined : moved
}

/** An heir is told by their address: nobody has named them by another one. */
function heirOf(
  { named, ...place }: Person,
  to: UserId,
  { isSame, now }: Pick<Leaving, 'isSame' | 'now'>,
): Person {
  return { ...place, ...(isSame && named && { named }), user: to, since: now }
}

/**
 * Takes the roles of a user away on the deposits of others, or gives them to the account that the
 * user's is merged into; offers to the user go along, or are void without one.
 *
 * @returns how many deposits there were
 */
export async function leaveShared(
  parts: HandOverParts,
  from: UserId,
  to: UserId | undefined,
  signal: AbortSignal,
): Promise<number> {
  let done = 0
  for (;;) {
    signal.throwIfAborted()
    const ids = await parts.database.read.deposits.sharedWith(from, atOnce)
    if (ids.length === 0) return done
    await giveAll(parts, ids, { from, to, isSame: true })
    done += ids.length
  }
}

/**
 * Puts the account that another is merged into in its place where that made a deposit: created it,
 * submitted it, judged it or changed its draft. Without `to` it is forgotten among those who changed
 * drafts.
 */
export async function leaveMade(
  parts: HandOverParts,
  from: UserId,
  to: UserId | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let last = ''; ;) {
    signal.throwIfAborted()
    const ids = await parts.database.read.deposits.madeBy(from, last, atOnce)
    const end = ids.at(-1)
    if (end === undefined) return
    await changeAll(parts, ids, (unit, id, now) => giveMade(unit, id, { from, to, now }))
    last = end
  }
}

async function giveMade(
  { deposits }: UnitOfWork,
  id: DepositId,
  { from, to, now }: Omit<Leaving, 'isSame'>,
): Promise<readonly Pair[]> {
  const found = await deposits.find(id)
  const hidden = found ? undefined : await deposits.findHidden(id)
  const deposit = found ?? hidden?.deposit
  if (!deposit) return []
  const known = deposit.makers?.filter((user) => user !== to)
  const makers = known?.flatMap((user) => (user === from ? (to ?? []) : user))
  const left = { ...deposit, ...(makers && { makers }) }
  const isTold = to !== undefined && (deposit.createdBy === from || isOf(deposit.review, from))
  if (!isTold) {
    await deposits.noteMakers(left)
    return []
  }
  const { createdBy, review } = left
  const given = {
    ...left,
    createdBy: createdBy === from ? to : createdBy,
    ...(review && { review: reviewOf(review, from, to) }),
  }
  const saved = await deposits.save(given, now)
  if (!hidden) return [[deposit, saved]]
  await deposits.hide(id, hidden.since)
  return []
}

function isOf(review: Review | undefined, user: UserId): boolean {
  return review?.by === user || review?.submittedBy === user
}

function reviewOf(review: Review, from: UserId, to: UserId): Review {
  const { by, submittedBy } = review
  return {
    ...review,
    ...(by === from && { by: to }),
    ...(submittedBy === from && { submittedBy: to }),
  }
}

/** What was revoked with an account. */
export interface Revoked {
  readonly tokens: number
  /** Names of client programs. */
  readonly clients: readonly string[]
}

/**
 * Removes an account that owns no deposit any more, with all that tells of its user. The audit trail
 * keeps the id. Uploads under way are the heir's from then on.
 *
 * @param account as it was before anything of it was handed over
 * @param keeps set where the heir is the same person: tokens, programs and the identity at an issuer
 *   are kept, and changes and comments are the heir's. The audit trail stays as it was written.
 * @returns the tokens and programs that were revoked, since they would be good for more with the heir
 *   than before: where the heir has roles that the account never had, or the account was disabled.
 *   None are where `with all tokens` is said.
 */
export async function removeAccount(
  { database, clock }: Pick<HandOverParts, 'database' | 'clock'>,
  account: Account,
  heir: Account | undefined,
  keeps?: 'sign-ins' | 'with all tokens',
): Promise<Revoked> {
  const revoked = await database.write(async (unit) => {
    const { accounts, audit, links } = unit
    const isRaised = heir && keeps === 'sign-ins' && (await gainsBy(unit, account, heir))
    const ended = isRaised || !keeps ? await revokeAll(unit, account) : nothing
    if (heir) await accounts.moveBelongings(account.id, heir.id)
    if (heir && keeps) await accounts.moveSignIns(account, heir)
    if (!keeps) {
      await audit.forget(account.id)
      await links.forgetMaker(account.id, clock.now())
    }
    await accounts.remove(account.id)
    return ended
  })
  await database.upkeep.forget()
  return revoked
}

const nothing: Revoked = { tokens: 0, clients: [] }

/** Whether tokens of an account would be good for more as those of another. */
async function gainsBy(
  { accounts }: Pick<UnitOfWork, 'accounts'>,
  account: Account,
  heir: Account,
): Promise<boolean> {
  const before = rolesOf((await accounts.find(account.id)) ?? account)
  const after = rolesOf((await accounts.find(heir.id)) ?? heir)
  return account.disabled || !after.isSubsetOf(before)
}

async function revokeAll(
  { tokens, clients }: Pick<UnitOfWork, 'tokens' | 'clients'>,
  { id: user }: Account,
): Promise<Revoked> {
  let count = 0
  for (const { id } of await tokens.list(user)) count += await tokens.remove(id)
  const own = (await clients.list()).filter(({ owner }) => owner === user)
  for (const { id } of own) await clients.remove(id)
  return { tokens: count, clients: own.map(({ name }) => name) }
}
