import { nameIn } from '../contract/uploads.ts'
import { problem } from '../errors/errors.ts'
import { fileRowBytes, requireOwnName, rowBytes, type FileKey } from '../files/file.ts'
import type { Caller, User, UserId } from '../access/caller.ts'
import { jsonSize, type JsonObject } from '../base/json.ts'
import { documentSize } from '../json/canonical.ts'
import { firstOwner, type Deposit } from '../deposit/deposit.ts'
import { textOfLong } from '../deposit/document.ts'
import type { FileInPieces } from '../files/upload.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { Readers, UnitOfWork } from '../ports/database.ts'
import type { FileTotals } from '../ports/files.ts'
import type { Holding } from '../ports/uploads.ts'
import type { Parts } from './parts.ts'
import { forgetAnswers } from './kept-answers.ts'
import { quotaExceeded, takeStock, takeStockAhead, type Shortage } from './quota-refusal.ts'
import { removeBlobs } from './remove-blobs.ts'
import type { Claim } from './quota-claims.ts'

/** Counts that limits are checked against, inside a unit of work or before it. */
export type Counts = Pick<Readers, 'files' | 'usage' | 'trash' | 'history'>

/**
 * Demands that a deposit may have one more file, or `further`. Inside a unit of work the answer
 * holds; before it, an early refusal spares the client sending the bytes.
 *
 * @throws {DepositError} quota_exceeded
 */
export async function requireFilesAllowed(
  parts: Parts,
  { files }: Counts,
  { bucket }: Deposit,
  further = 1,
): Promise<void> {
  requireFewFiles(parts, (await files.totals([bucket])).get(bucket), further)
}

/**
 * The same, where the files were counted.
 *
 * @throws {DepositError} quota_exceeded
 */
export function requireFewFiles(
  { settings }: Parts,
  totals: FileTotals | undefined,
  further = 1,
): void {
  if ((totals?.count ?? 0) + further > settings.maxFiles)
    throw problem('quota_exceeded', {
      limit: settings.maxFiles,
      of: 'files',
      next: 'Nothing was kept.',
    })
}

/**
 * Demands that a file may be stored under a key.
 *
 * @throws {DepositError} file_already_exists: there is one, and it is not to be replaced
 * @throws {DepositError} wrong_file: there is one, and its name is another
 * @throws {DepositError} quota_exceeded
 */
export async function requireKeyAllowed(
  parts: Parts,
  rows: Counts,
  deposit: Deposit,
  { key, replaces, checksum, metadata }: FileInPieces,
): Promise<void> {
  const present = await rows.files.find(deposit.bucket, key)
  if (present && !replaces) throw problem('file_already_exists', { key })
  const isSame = present && checksum === `sha256:${present.latest.blob.sha256}`
  if (present && !isSame) requireOwnName(nameIn(metadata), key)
  if (!present) await requireFilesAllowed(parts, rows, deposit)
}

/** Something that is added to a deposit, and by whom. */
export interface Addition {
  readonly caller: Caller
  readonly deposit: Deposit
  /** Of the user whose quota it counts against, most likely, if it was asked for. */
  readonly holding?: UserHolding
}

export interface UserHolding {
  readonly user: UserId
  readonly holding: Promise<Holding>
}

/** Bytes that are added. */
export interface Added {
  /** Of files. */
  readonly size: number
  /** Of the rows that tell of them. */
  readonly ofRows: number
  /** Those of both that count already. */
  readonly counted?: number
}

/**
 * Demands that further bytes are within the quota of the deposit's owner.
 *
 * @throws {DepositError} file_too_large, quota_exceeded
 */
export async function requireBytesAllowed(
  parts: Parts,
  rows: Counts,
  { caller, deposit, holding: asked }: Addition,
  { size, ofRows, counted = 0 }: Added,
): Promise<void> {
  const { maxFileSize } = parts.settings
  if (size > maxFileSize) throw problem('file_too_large', { limit: maxFileSize })
  const more = size + ofRows - counted
  if (more <= 0) return
  const user = chargedUser(deposit)
  const holding = asked?.user === user ? asked.holding : rows.usage.holding(user)
  const room = toRoom(parts, caller, user, await holding)
  const left = await requireLeft(parts, rows, { ...room, user }, more)
  if (isUnit(rows) && left !== Infinity) await rows.usage.hold(user, room.used + more + left)
}

/** Bytes that a user may have, and has. */
interface Room {
  readonly quota: number
  /** With those that unfinished uploads have announced. */
  readonly used: number
  /** Of the user, where the caller may know it. */
  readonly email?: string
}

/**
 * The bytes left to `user` when `caller` adds something. An operator may set another quota for one
 * user. No quota holds an administrator who changes another user's deposit: a full one must not
 * prevent a takedown.
 */
export async function roomOf(
  parts: Parts,
  { usage }: Pick<Counts, 'usage'>,
  caller: Caller,
  user: UserId,
): Promise<Room> {
  return toRoom(parts, caller, user, await usage.holding(user))
}

function toRoom(
  parts: Parts,
  caller: Caller,
  user: UserId,
  { stored, metadata, account }: Holding,
): Room {
  const used = stored + metadata
  if (isUser(caller) && caller.admin && caller.user !== user) return { used, quota: Infinity }
  const quota = account?.quota ?? parts.settings.quota
  const isOwn = isUser(caller) && caller.user === user
  return { used, quota, ...(isOwn && account && { email: account.email }) }
}

/** Bytes that units which run at the same time may add to what a user has. */
const atOnce = 64_000_000

/**
 * As {@link roomOf}, for metadata, whose sums units do not lock: where the quota is near, they add to
 * them one after another.
 *
 * @param deposit that the unit changes; absent where it changes none
 */
export async function roomForMetadata(
  parts: Parts,
  rows: Counts | UnitOfWork,
  caller: Caller,
  user: UserId,
  deposit?: DepositId,
): Promise<Room> {
  const room = await roomOf(parts, rows, caller, user)
  if (!isUnit(rows) || room.quota - room.used > atOnce) return room
  // In the order of all units: the deposit, then the user. Otherwise they would wait for each other.
  if (deposit !== undefined) await rows.deposits.lock(deposit)
  return (await rows.usage.lock(user)) ? roomOf(parts, rows, caller, user) : room
}

function isUser(caller: Caller): caller is User {
  return typeof caller !== 'string'
}

/**
 * Demands that `bytes` more of metadata are within the quota of a user.
 *
 * @param rows of the unit of work that stores them
 * @param deposit that the unit changes; absent where it changes none
 * @returns bytes that are left then; without end where nothing was asked
 * @throws {DepositError} quota_exceeded
 */
export async function requireMetadataAllowed(
  parts: Parts,
  rows: Counts,
  caller: Caller,
  user: UserId,
  bytes: number,
  deposit?: DepositId,
): Promise<number> {
  if (bytes <= 0) return Infinity
  const room = await roomForMetadata(parts, rows, caller, user, deposit)
  return requireLeft(parts, rows, { ...room, user }, bytes)
}

/**
 * Demands that room has `bytes` left. In a unit of work, the trash and the history of the user give way
 * to them: both are kept only while room is not short.
 *
 * @returns bytes that are left then
 * @throws {DepositError} quota_exceeded
 */
export async function requireLeft(
  parts: Parts,
  rows: Counts | UnitOfWork,
  { user, ...room }: Room & Pick<Shortage, 'answer'> & { readonly user: UserId },
  bytes: number,
): Promise<number> {
  const wanted = room.used + bytes
  if (wanted <= room.quota) return room.quota - wanted
  // What gives way to it may be of any deposit.
  if (isUnit(rows)) rows.requireWhole()
  const forgotten = isUnit(rows) ? await forgetAnswers(parts, rows, user) : 0
  const missing = wanted - forgotten - room.quota
  if (missing <= 0) return -missing
  if (!(await isReleasable(rows, user, missing)))
    throw quotaExceeded({ ...room, wanted }, await takeStock(parts, user))
  if (isUnit(rows)) await release(parts, rows, user, missing)
  return 0
}

function isUnit(rows: Counts | UnitOfWork): rows is UnitOfWork {
  return 'afterCommit' in rows
}

/** Whether a user has `bytes` that are kept only while room is not short. */
export async function isReleasable(
  { trash, history }: Counts,
  user: UserId,
  bytes: number,
): Promise<boolean> {
  const trashed = await trash.bytesOf(user)
  return bytes <= trashed || bytes <= trashed + (await history.bytesOf(user))
}

/** Removes files of the trash of a user, and then the oldest history, until `bytes` are free. */
export async function release(
  parts: Parts,
  unit: UnitOfWork,
  user: UserId,
  bytes: number,
): Promise<void> {
  const trashed = await unit.trash.bytesOf(user)
  const blobs = trashed > 0 ? await unit.trash.giveUp(bytes, user) : []
  unit.afterCommit(() => removeBlobs(parts, blobs))
  if (trashed < bytes) await unit.history.giveUp(user, bytes - trashed)
}

/** Bytes that the document of a deposit gets longer by. */
export function growth(before: Deposit, after: JsonObject): number {
  const text = textOfLong(before)
  const size = text === undefined ? jsonSize(before.metadata) : Buffer.byteLength(text)
  return documentSize(after) - size
}

/** The user whose quota the files of a deposit count against. */
export function chargedUser(deposit: Deposit): UserId {
  return firstOwner(deposit)
}

/** Bytes that the trash of a user gives way to, and the history if that is not enough. */
async function releasableFor(
  { database: { read } }: Parts,
  user: UserId,
  left: number,
): Promise<number> {
  const trashed = await read.trash.bytesOf(user)
  return left + trashed >= 0 ? trashed : trashed + (await read.history.bytesOf(user))
}

/** Bytes to make room for. */
interface Claimed {
  /** As announced; undefined where they are counted as they arrive. */
  readonly size?: number
  /** Bytes that rows count already. */
  readonly counted?: number
  /** Bytes of rows that are made at least; 0 by default. */
  readonly ofRows?: number
  /** Looks up, for a refusal, how many bytes it will be; undefined where that cannot be known. */
  readonly allOfRows?: () => Promise<number | undefined>
}

/** For the rows of files that are put: each is new, or a version of one that is there. */
export function claimedForRows(
  { database: { read } }: Parts,
  { bucket }: Deposit,
  keys: readonly (FileKey | undefined)[],
): Pick<Claimed, 'ofRows' | 'allOfRows'> {
  const ofKey = async (key: FileKey): Promise<number> =>
    (await read.files.find(bucket, key)) ? rowBytes : fileRowBytes(key)
  const allOfRows = async (): Promise<number | undefined> => {
    const known = keys.filter((key) => key !== undefined)
    if (known.length < keys.length) return undefined
    return (await Promise.all(known.map(ofKey))).reduce((sum, bytes) => sum + bytes, 0)
  }
  return { ofRows: keys.length * rowBytes, allOfRows }
}

/**
 * Claims room in the quota of the deposit's owner, beside the claims of other requests.
 *
 * @throws {DepositError} file_too_large, quota_exceeded
 */
export async function claimRoom(
  parts: Parts,
  addition: Addition,
  { size, counted = 0, ofRows = 0, allOfRows }: Claimed,
): Promise<Claim> {
  const { maxFileSize } = parts.settings
  if (size !== undefined && size > maxFileSize)
    throw problem('file_too_large', { limit: maxFileSize })
  const user = chargedUser(addition.deposit)
  const further = Math.max(0, (size ?? 0) - counted) + ofRows
  const wanted = size === undefined ? maxFileSize + ofRows : further
  // A refusal part-way cannot wait for it.
  const stock = size === undefined ? await takeStockAhead(parts, user) : undefined
  for (let isFirst = true; ; isFirst = false) {
    // One that ended in between may be in the rows that were read, or not: it counts as if not.
    using watch = parts.claims.watch(user)
    const sum = (): number => [...watch.claims].reduce((all, claim) => all + claim.size, 0)
    const found = await roomOf(parts, parts.database.read, addition.caller, user)
    const left = found.quota - found.used - sum()
    const kept = left < wanted ? await releasableFor(parts, user, left - further) : 0
    // Others take room while this one waits: it is counted once nothing is waited for any more.
    const room = { ...found, used: found.used + sum() - kept }
    const settling = [...watch.claims].flatMap((claim) => claim.settling ?? [])
    const isCounted = settling.length === 0 && ![...watch.claims].some(({ isKept }) => isKept)
    const isExact = isCounted || (size === undefined && !isFirst)
    if (room.used + wanted > room.quota && !isExact) {
      await Promise.allSettled(settling)
      continue
    }
    const arriving = sum()
    if (further > 0 && room.used + further > room.quota) {
      const taken = await takeStock(parts, user)
      const isOver = taken.forgotten !== undefined && taken.forgotten < parts.clock.settled()
      const forget = () => parts.database.write((unit) => forgetAnswers(parts, unit, user))
      if (isOver && (await forget()) > 0) continue
      const all = allOfRows ? await allOfRows() : ofRows
      const isKnown = size !== undefined && all !== undefined
      const told = isKnown && { wanted: found.used + arriving + further - ofRows + all }
      throw quotaExceeded({ ...room, ...told }, taken, arriving)
    }
    const refusal = () => quotaExceeded(room, stock, arriving)
    const free = { left: room.quota - room.used, refusal }
    return parts.claims.add(user, free, size ?? counted, further)
  }
}
