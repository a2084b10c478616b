import type { Account, UserId } from '../access/caller.ts'
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

/**
 * Lets one account own what another does, a few deposits at a time: stopped, it is run again.
 *
 * @returns how many deposits there were
 */
export async function handOver(
  { database, clock, index }: HandOverParts,
  from: UserId,
  to: UserId,
  { progress, signal }: { readonly progress: (done: number) => void; readonly signal: AbortSignal },
): Promise<number> {
  let done = 0
  for (;;) {
    signal.throwIfAborted()
    const ids = await database.read.deposits.ownedBy(from, atOnce)
    if (ids.length === 0) break
    const changed = await database.write(async (unit) => {
      const pairs: (readonly [before: Deposit, after: Deposit])[] = []
      for (const id of ids) pairs.push(...(await giveTo(unit, id, { from, to, now: clock.now() })))
      return pairs
    })
    for (const [before, after] of changed) {
      await index?.remove(before)
      await index?.add(after)
    }
    done += ids.length
    progress(done)
  }
  return done
}

interface Handed {
  readonly from: UserId
  readonly to: UserId
  readonly now: string
}

/** @returns the deposit before and after; nothing where it is out of sight, and in no index */
async function giveTo(
  { deposits, upkeep }: UnitOfWork,
  id: DepositId,
  { from, to, now }: Handed,
): Promise<readonly (readonly [Deposit, Deposit])[]> {
  const found = await deposits.find(id)
  const hidden = found ? undefined : await deposits.findHidden(id)
  const deposit = found ?? hidden?.deposit
  if (!deposit) return []
  const others = deposit.owners.filter((owner) => owner !== to)
  const owners = others.includes(from)
    ? others.map((owner) => (owner === from ? to : owner))
    : [to, ...others]
  const saved = await deposits.save({ ...deposit, owners }, now)
  // The manifests of its record name the owners, with their e-mail addresses.
  if (deposit.record) await upkeep.dropManifested(deposit.record.value)
  if (!hidden) return [[deposit, saved]]
  await deposits.hide(id, hidden.since)
  return []
}

/**
 * Removes an account that owns no deposit any more, with all that tells of its user. The audit trail
 * keeps the id. Uploads under way, and programs, are the heir's from then on.
 *
 * @param keeps set where the heir is the same person: tokens and the identity at an issuer are kept
 */
export async function removeAccount(
  { database }: Pick<HandOverParts, 'database'>,
  account: Account,
  heir: Account | undefined,
  keeps?: 'sign-ins',
): Promise<void> {
  await database.write(async ({ accounts, audit }) => {
    if (heir) await accounts.moveBelongings(account.id, heir.id)
    if (heir && keeps) await accounts.moveSignIns(account, heir)
    if (!keeps) await audit.forget(account.id)
    await accounts.remove(account.id)
  })
  await database.upkeep.forget()
}
