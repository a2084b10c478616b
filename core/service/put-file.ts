import type { Readable } from 'node:stream'
import { isProblem, problem, wrongField } from '../errors/errors.ts'
import {
  newBlobId,
  newFileId,
  fileRowBytes,
  newVersionId,
  requireOwnName,
  rowBytes,
  type Blob,
  type DepositFile,
  type FileKey,
  type FileVersion,
} from '../files/file.ts'
import type { WriteOptions } from '../ports/blob-store.ts'
import type { Parts } from './parts.ts'
import type { Claim } from './quota-claims.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { FilePlace, NewFile } from '../ports/files.ts'
import { throwAway } from './throw-away.ts'
import {
  chargedUser,
  requireBytesAllowed,
  requireFewFiles,
  type Addition,
  type UserHolding,
} from './limits.ts'

/** Size and digests that a client announces for its bytes. */
export interface Incoming {
  /** Under which they are to be a file, where that is known before they arrive. */
  readonly key?: FileKey
  /** Bytes, where the client announced how many. */
  readonly expectedSize?: number
  /** `sha256:<hex>` or `md5:<hex>`. */
  readonly checksum?: string
  /** Digests to compute beside SHA-256: `md5`. */
  readonly algorithms?: readonly string[]
  readonly signal?: AbortSignal
}

/** Durable bytes that no row speaks of yet. Disposing of them removes them, unless they were kept. */
export class StagedBlob implements AsyncDisposable {
  readonly blob: Blob
  readonly #remove: () => Promise<void>
  readonly #claim: Claim | undefined
  #isKept = false
  #isHandedOver = false

  /** @param claim held for the bytes until they are kept or removed */
  constructor(blob: Blob, remove: () => Promise<void>, claim?: Claim) {
    this.blob = blob
    this.#remove = remove
    this.#claim = claim
  }

  /**
   * Keeps the bytes when `change` succeeds, and also when the database failed: the change may have
   * been committed, and a later check tells.
   */
  async keepWhen<Result>(change: Promise<Result>): Promise<Result> {
    try {
      const result = await (this.#claim?.settle(change) ?? change)
      this.#isKept = true
      return result
    } catch (error) {
      this.#isKept = mayBeCommitted(error)
      throw error
    }
  }

  /**
   * Demands the digest a client gives only after the bytes.
   *
   * @param checksum `algorithm:hex`, of an algorithm that was computed on the way
   * @param left for the message: what is left of the bytes then
   * @throws {DepositError} checksum_mismatch
   */
  requireChecksum(checksum: string | undefined, left?: string): void {
    if (checksum === undefined) return
    const algorithm = checksum.slice(0, Math.max(0, checksum.indexOf(':'))).toLowerCase()
    const hex = algorithm === 'sha256' ? this.blob.sha256 : this.blob.digests[algorithm]
    if (hex === undefined) throw wrongField('malformed_request', 'checksum', unknownAlgorithm)
    const computed = `${algorithm}:${hex}`
    if (computed !== checksum.toLowerCase())
      throw problem('checksum_mismatch', { given: checksum, computed, left })
  }

  /** Makes the caller answerable for the bytes in place of this object. */
  handOver(): StagedBlob {
    this.#isHandedOver = true
    return new StagedBlob(this.blob, this.#remove, this.#claim)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isHandedOver) return
    using _ = this.#claim
    if (!this.#isKept) await this.#remove()
  }
}

/**
 * Writes `bytes` durably, and checks them against what the client said.
 *
 * @param bytes given away, with their memory
 * @param claim the answer holds it
 * @throws {DepositError} checksum_mismatch: nothing is kept
 */
export async function stageBlob(
  parts: Parts,
  bytes: Readable,
  { expectedSize, checksum, algorithms = [], signal }: Incoming,
  claim?: Claim,
): Promise<StagedBlob> {
  const options = {
    limit: parts.settings.maxFileSize,
    algorithms: [...new Set([...furtherAlgorithms(parts.settings, checksum), ...algorithms])],
    isGivenAway: true as const,
    ...(claim && { admit: claim.take }),
    ...(expectedSize === undefined ? {} : { expectedSize }),
    ...(signal === undefined ? {} : { signal }),
  }
  await using staged = await writeStaged(parts, bytes, options, claim)
  staged.requireChecksum(checksum)
  return staged.handOver()
}

/** Writes `bytes` durably, and removes them again unless they are kept. */
export async function writeStaged(
  { blobs, report }: Parts,
  bytes: Readable,
  options: WriteOptions,
  claim?: Claim,
): Promise<StagedBlob> {
  const blob = await blobs.write(newBlobId(), bytes, options)
  return new StagedBlob(blob, () => blobs.remove(blob.id).catch(report), claim)
}

/** The digests to compute beside SHA-256: those configured, and the one a client has given. */
export function furtherAlgorithms(
  { checksums }: Parts['settings'],
  checksum?: string,
): readonly string[] {
  const isMd5 = checksum?.toLowerCase().startsWith('md5:') ?? false
  return [...new Set([...checksums, ...(isMd5 ? ['md5'] : [])])]
}

function mayBeCommitted(error: unknown): boolean {
  const isUnknown = isProblem(error, 'storage_unavailable') && error.details.isOutcomeUnknown
  return isUnknown === true || isProblem(error, 'storage_degraded', 'storage_failed')
}

const unknownAlgorithm = 'A checksum is given as sha256: or md5: and hexadecimal digits.'

export interface Naming {
  /** Refuses to make a new version. */
  readonly mustBeNew?: boolean
  /** The name whose safe form the key is, as it was sent. */
  readonly name?: string
  /** Puts a file that was there among the deleted ones, in place of giving it a new version. */
  readonly trashesReplaced?: boolean
  /** The program says later whether the bytes of an announced file are whole. */
  readonly isConfirmedLater?: boolean
}

/** Durable bytes, and the key under which they are to be a file. */
interface Put extends Addition, Naming {
  readonly key: FileKey
  readonly blob: Blob
  readonly now: string
  /** Bytes of the blob, and of its rows, that count against the quota already. */
  readonly counted?: number
  /** Set where the unit has locked the deposit. */
  readonly asked?: Asked
}

/** What is asked of a unit before it has answered whether the deposit may be changed. */
interface Asked {
  readonly place: Promise<FilePlace>
  readonly holding: UserHolding
}

/**
 * Asks for all that {@link putFile} asks for. A database elsewhere answers it together with what the
 * unit has asked for before.
 *
 * @param found the deposit, as it was before it was locked
 */
export function askForPut(unit: UnitOfWork, found: Deposit, key: FileKey): Asked {
  const user = chargedUser(found)
  const place = unit.files.findPlace(found.bucket, key)
  const holding = unit.usage.holding(user)
  // Whoever waits for them is told.
  for (const each of [place, holding]) each.catch(() => {})
  return { place, holding: { user, holding } }
}

export interface PutFile {
  readonly file: DepositFile
  /** False for a new version of a file that was there. */
  readonly isNew: boolean
}

/**
 * Adds a file, or a new version of the one under its key.
 *
 * @throws {DepositError} file_already_exists: there is one, and it must be new
 * @throws {DepositError} wrong_file: there is one, and its name is another; it is not changed
 * @throws {DepositError} quota_exceeded
 */
export async function putFile(
  parts: Parts,
  unit: UnitOfWork,
  { caller, deposit, key, name, blob, now, mustBeNew, counted, isConfirmedLater, ...put }: Put,
): Promise<PutFile> {
  // Asked at once: a database elsewhere answers all of it in one round trip.
  const { place, holding } = put.asked ?? askForPut(unit, deposit, key)
  const { file: present, totals, next } = await place
  const isSame = present?.latest.blob.sha256 === blob.sha256
  const isTrashed = present !== undefined && put.trashesReplaced === true && !isSame
  const ofRows = present && !isTrashed ? rowBytes : fileRowBytes(key)
  const added = { size: blob.size, ofRows, ...(counted !== undefined && { counted }) }
  await requireBytesAllowed(parts, unit, { caller, deposit, holding }, added)
  if (!present) {
    requireFewFiles(parts, totals)
    if (isConfirmedLater !== true) await unit.announcedFiles.forget(deposit.id, key)
    const known = put.asked && { position: next, owner: chargedUser(deposit) }
    const file = await unit.files.add(newFile(parts, deposit, key, blob, now), known)
    return { file, isNew: true }
  }
  if (mustBeNew) throw problem('file_already_exists', { key })
  // The same bytes once more are harmless.
  if (name !== undefined && !isSame) requireOwnName(name, key)
  if (isTrashed) {
    await throwAway(parts, unit, { deposit, caller, now, isKept: true }, present)
    await unit.announcedFiles.forget(deposit.id, key)
    return { file: await unit.files.add(newFile(parts, deposit, key, blob, now)), isNew: false }
  }
  const version = newVersion(parts, blob, now)
  if (isConfirmedLater !== true) await unit.announcedFiles.forget(deposit.id, key)
  return { file: await unit.files.addVersion(present, version), isNew: false }
}

export function newFile(
  parts: Parts,
  deposit: Deposit,
  key: FileKey,
  blob: Blob,
  now: string,
): NewFile {
  return {
    id: newFileId(),
    bucket: deposit.bucket,
    key,
    latest: newVersion(parts, blob, now),
  }
}

export function newVersion({ settings }: Parts, blob: Blob, now: string): FileVersion {
  return { id: newVersionId(), blob, storageClass: settings.storageClass, created: now }
}
