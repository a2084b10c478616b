import { problem } from '../errors/errors.ts'
import { chargedUser, quotaExceeded, requireRoom, roomOf, type Addition } from './limits.ts'
import type { Parts } from './parts.ts'
import type { Claim } from './quota-claims.ts'

/** Bytes to make room for. */
interface Claimed {
  /** As announced; undefined where they are counted as they arrive. */
  readonly size?: number
  /** Bytes that rows count already. */
  readonly counted?: number
}

/**
 * Claims room in the quota of whoever owns the deposit, beside what other requests have claimed.
 *
 * @throws {DepositError} file_too_large, quota_exceeded
 */
export async function claimRoom(
  parts: Parts,
  addition: Addition,
  { size, counted = 0 }: Claimed,
): Promise<Claim> {
  const { maxFileSize } = parts.settings
  if (size !== undefined && size > maxFileSize)
    throw problem('file_too_large', { limit: maxFileSize })
  const user = chargedUser(addition.deposit)
  const further = Math.max(0, (size ?? 0) - counted)
  const wanted = size === undefined ? maxFileSize : further
  for (let isFirst = true; ; isFirst = false) {
    const before = [...parts.claims.of(user)]
    const found = await roomOf(parts, parts.database.read, addition.caller, user)
    // One that ended in between may be in the rows that were read, or not: it counts as if not.
    const claims = new Set([...before, ...parts.claims.of(user)])
    const used = [...claims].reduce((sum, claim) => sum + claim.size, found.used)
    const room = { ...found, used }
    const settling = [...claims].flatMap((claim) => claim.settling ?? [])
    const isExact = settling.length === 0 || (size === undefined && !isFirst)
    if (used + wanted > room.quota && !isExact) {
      await Promise.allSettled(settling)
      continue
    }
    if (further > 0) requireRoom(room, further)
    const free = { left: room.quota - used, refusal: () => quotaExceeded(room) }
    return parts.claims.add(user, free, size ?? counted, further)
  }
}
