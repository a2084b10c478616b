import { FileExists, FileTooLarge, LimitReached, QuotaExceeded } from '../errors.ts'
import type { UserId } from '../access/caller.ts'
import type { JsonObject } from '../json.ts'
import { documentSize } from '../canonical.ts'
import { jsonSize } from '../json-size.ts'
import { firstOwner, type Deposit } from '../deposit/deposit.ts'
import type { FileInPieces } from '../files/upload.ts'
import type { Readers } from '../ports/database.ts'
import type { Parts } from './parts.ts'

/** What limits are counted by, of a unit of work or outside of one. */
export type Counts = Pick<Readers, 'files' | 'usage' | 'accounts'>

/**
 * Demands that a deposit may have one more file, or `further`. Inside a unit of work nobody comes in between;
 * before it, this spares a client the sending of bytes.
 *
 * @throws {LimitReached}
 */
export async function requireFilesAllowed(
  { settings }: Parts,
  { files }: Counts,
  { bucket }: Deposit,
  further = 1,
): Promise<void> {
  const totals = (await files.totals([bucket])).get(bucket)
  if ((totals?.count ?? 0) + further > settings.maxFiles) throw new LimitReached(settings.maxFiles)
}

/**
 * Demands that a file may be stored under a key.
 *
 * @throws {FileExists} there is one, and it is not to be replaced
 * @throws {LimitReached}
 */
export async function requireKeyAllowed(
  parts: Parts,
  rows: Counts,
  deposit: Deposit,
  { key, replaces }: FileInPieces,
): Promise<void> {
  const present = await rows.files.find(deposit.bucket, key)
  if (present && !replaces) throw new FileExists(key)
  if (!present) await requireFilesAllowed(parts, rows, deposit)
}

/**
 * Demands that `size` more bytes are within the quota of whoever owns the deposit.
 *
 * @param size bytes
 * @param counted bytes of them that count already
 * @throws {FileTooLarge | QuotaExceeded}
 */
export async function requireBytesAllowed(
  parts: Parts,
  rows: Counts,
  deposit: Deposit,
  size: number,
  counted = 0,
): Promise<void> {
  const { maxFileSize } = parts.settings
  if (size > maxFileSize) throw new FileTooLarge(maxFileSize)
  requireRoom(await roomOf(parts, rows, chargedUser(deposit)), size - counted)
}

/** Bytes that a user may have, and has. */
interface Room {
  readonly quota: number
  readonly used: number
}

/** An operator may allow one user more or less than others. */
export async function roomOf(
  parts: Parts,
  { usage, accounts }: Counts,
  user: UserId,
): Promise<Room> {
  const used = (await usage.of(user)) + (await usage.metadata(user))
  return { used, quota: (await accounts.find(user))?.quota ?? parts.settings.quota }
}

/**
 * Demands that `bytes` more of metadata are within the quota of a user.
 *
 * @param rows of the unit of work that stores them
 * @throws {QuotaExceeded}
 */
export async function requireMetadataAllowed(
  parts: Parts,
  rows: Counts,
  user: UserId,
  bytes: number,
): Promise<void> {
  if (bytes > 0) requireRoom(await roomOf(parts, rows, user), bytes)
}

/** @throws {QuotaExceeded} */
export function requireRoom({ quota, used }: Room, bytes: number): void {
  if (used + bytes > quota) throw new QuotaExceeded(quota, used)
}

/** Bytes that a document gets longer by. */
export function growth(before: JsonObject, after: JsonObject): number {
  return documentSize(after) - jsonSize(before)
}

/** The user whose quota the files of a deposit count against. */
export function chargedUser(deposit: Deposit): UserId {
  return firstOwner(deposit)
}
