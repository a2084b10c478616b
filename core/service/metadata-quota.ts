import type { UserId } from '../access/caller.ts'
import { documentSize } from '../canonical.ts'
import { QuotaExceeded } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { jsonSize } from '../json-size.ts'
import type { Database, Readers } from '../ports/database.ts'
import type { Parts } from './parts.ts'

/** For how long sums are carried on before the rows are asked again. Milliseconds. */
const carriedMs = 600_000
/** Users whose sums are remembered. */
const most = 10_000

interface Sum {
  bytes: number
  readonly since: number
}

/** Sums by user: to add up all documents of a user takes too long for each change. */
const sums = new WeakMap<Database, Map<UserId, Promise<Sum>>>()

/**
 * Bytes that count against the quota of a user: of files, with uploads under way, of documents and
 * their revisions, and of answers kept for repeated requests.
 *
 * @param usage of a unit of work or outside of one
 */
export async function usedBytes(
  { database }: Pick<Parts, 'database'>,
  user: UserId,
  usage: Readers['usage'] = database.read.usage,
): Promise<number> {
  return (await usage.of(user)) + (await sumOf(database, user)).bytes
}

/**
 * Demands that `bytes` more of metadata are within the quota of a user, and counts them.
 *
 * @param bytes below 0 where there are fewer than before
 * @throws {QuotaExceeded}
 */
export async function requireMetadataAllowed(
  parts: Parts,
  user: UserId,
  bytes: number,
): Promise<void> {
  const { database } = parts
  const sum = await sumOf(database, user)
  if (bytes > 0) {
    const used = (await database.read.usage.of(user)) + sum.bytes
    const quota = await quotaOf(parts, user, database.read.accounts)
    if (used + bytes > quota) throw new QuotaExceeded(quota, used)
  }
  sum.bytes = Math.max(0, sum.bytes + bytes)
}

/** Bytes that a user may have: an operator may say so of one. */
export async function quotaOf(
  { settings }: Parts,
  user: UserId,
  accounts: Readers['accounts'],
): Promise<number> {
  return (await accounts.find(user))?.quota ?? settings.quota
}

/** Bytes that a document gets longer by. */
export function growth(before: JsonObject, after: JsonObject): number {
  return documentSize(after) - jsonSize(before)
}

async function sumOf(database: Database, user: UserId): Promise<Sum> {
  const known = sums.get(database) ?? new Map<UserId, Promise<Sum>>()
  sums.set(database, known)
  const asked = known.get(user)
  const sum = await asked
  if (sum && performance.now() - sum.since < carriedMs) return sum
  // Others that ask at the same time count on in the same sum.
  const other = known.get(user)
  if (other && other !== asked) return other
  if (known.size >= most) known.clear()
  const fresh = addUp(database, user)
  known.set(user, fresh)
  try {
    return await fresh
  } catch (error) {
    known.delete(user)
    throw error
  }
}

async function addUp({ read }: Database, user: UserId): Promise<Sum> {
  return { bytes: await read.usage.metadata(user), since: performance.now() }
}
