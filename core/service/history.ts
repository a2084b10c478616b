import type { Caller } from '../access/caller.ts'
import { findChange, keptDocument } from '../deposit/changes.ts'
import { madeBy, type Deposit } from '../deposit/deposit.ts'
import { textOfLong } from '../deposit/document.ts'
import { canonicalDocument } from '../json/canonical.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { HistoryEntry, StoredChange } from '../ports/history.ts'
import { boundPage } from './bounded-page.ts'
import { chargedUser, release, roomOf } from './limits.ts'
import type { Parts } from './parts.ts'
import type { Found } from './search.ts'

/** A change of a deposit that is saved, and of which the history tells. */
export interface SavedChange {
  readonly before: Deposit
  readonly after: Deposit
  readonly caller: Caller
  /** ISO 8601, UTC. */
  readonly now: string
  /** `update`, or the name of the action. */
  readonly action: string
  /** Of an undo: the revision whose document it brings back. */
  readonly to?: number
}

/**
 * Saves a deposit, and keeps how its document changed: in the same unit of work, so that neither is
 * there without the other.
 *
 * @returns the deposit as saved, and bytes of what was kept: 0 where the document is the same
 */
export async function saveChange(
  unit: UnitOfWork,
  { before, after, caller, now, action, to }: SavedChange,
): Promise<{ readonly deposit: Deposit; readonly kept: number }> {
  const change = changeBetween(before, after)
  const deposit = await unit.deposits.save(change ? madeBy(after, caller) : after, now)
  if (!change) return { deposit, kept: 0 }
  const entry: HistoryEntry = {
    ...change,
    deposit: deposit.id,
    n: deposit.revision,
    since: before.revision,
    at: deposit.updated,
    by: typeof caller === 'string' ? 'system' : caller.user,
    action,
    ...(to !== undefined && { to }),
    ...(deposit.record && { published: deposit.record.revision }),
  }
  return { deposit, kept: await unit.history.add(entry) }
}

function changeBetween(before: Deposit, after: Deposit) {
  const isSame = before.schema === after.schema && isSameText(before, after)
  const change = isSame ? undefined : findChange(keptDocument(before), keptDocument(after))
  return change && change.patch.length > 0 ? change : undefined
}

/** To compare the text of a long document takes less than to parse it. */
function isSameText(before: Deposit, after: Deposit): boolean {
  const text = textOfLong(before)
  return text !== undefined && text === canonicalDocument(after.metadata).text
}

/** Bytes of a change from which on the quota is looked at even if the document got shorter. */
const largeChange = 64 * 1024

/** What a change has added to the quota of an owner. */
interface Kept {
  /** Bytes of the history. */
  readonly kept: number
  /** Bytes that were left before them; without end where nothing was asked. */
  readonly left: number
}

/**
 * Lets the quota of the owner hold what was kept of a change. The trash and older history give way
 * to it; the change is never refused for it.
 */
export async function makeRoomForHistory(
  parts: Parts,
  unit: UnitOfWork,
  { before, caller }: Pick<SavedChange, 'before' | 'caller'>,
  { kept, left }: Kept,
): Promise<void> {
  const user = chargedUser(before)
  if (left < Infinity) {
    if (kept > left) await release(parts, unit, user, kept - left)
    return
  }
  if (kept < largeChange) return
  const { used, quota } = await roomOf(parts, unit, caller, user)
  if (used > quota) await release(parts, unit, user, used - quota)
}

/** A page of the history of a deposit, newest first. */
export async function listHistory(
  { database: { read } }: Parts,
  { id }: Deposit,
  { offset, size }: { readonly offset: number; readonly size: number },
): Promise<Omit<Found<StoredChange>, 'facets'>> {
  const found = await read.history.list(id)
  const wanted = new Map(found.slice(offset, offset + size).map((each) => [each.name, each]))
  const { items, ...page } = await boundPage([...wanted.keys()], async (names) =>
    names.flatMap((name) => wanted.get(name) ?? []),
  )
  return { batches: read.history.batchesOf(id, items), ...page, total: found.length }
}
