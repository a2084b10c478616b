import type { Brand } from '../base/brand.ts'
import { neighbours } from '../base/neighbours.ts'
import { isSamePath, safeKey } from '../contract/file-key.ts'
import { wrongField } from '../errors/errors.ts'

/** The files of one deposit, shared with its record. */
export type BucketId = Brand<string, 'BucketId'>

/** Names stored bytes. An id of ours: never made from a key nor from the content. */
export type BlobId = Brand<string, 'BlobId'>

/** One path within a bucket, through all its versions and names. */
export type FileId = Brand<string, 'FileId'>

/** UUID of one version of a file. */
export type VersionId = Brand<string, 'VersionId'>

/** The safe form of a name (Contract §3.7). */
export type FileKey = Brand<string, 'FileKey'>

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Digits that ids have in common. */
const shared = 8

const nextBucketId = neighbours(shared)
const nextBlobId = neighbours(shared)
const nextFileId = neighbours(shared)
const nextVersionId = neighbours(shared)

export const newBucketId = (): BucketId => nextBucketId() as BucketId
export const newBlobId = (): BlobId => nextBlobId() as BlobId
export const newFileId = (): FileId => nextFileId() as FileId
export const newVersionId = (): VersionId => nextVersionId() as VersionId

/** Undefined where `text` is not a UUID. */
export function parseVersionId(text: string): VersionId | undefined {
  const lower = text.toLowerCase()
  return uuid.test(lower) ? (lower as VersionId) : undefined
}

/** Any text may be asked for; whether a bucket has it, the store knows. */
export function parseBucketId(text: string): BucketId {
  return text as BucketId
}

/** Undefined if `text` is not the name of a blob but of a stray file. */
export function parseBlobId(text: string): BlobId | undefined {
  return uuid.test(text) ? (text as BlobId) : undefined
}

/** Bytes that were written durably, and what was measured on the way. */
export interface Blob {
  readonly id: BlobId
  /** Bytes. */
  readonly size: number
  /** 64 hexadecimal digits. */
  readonly sha256: string
  /** Further digests by algorithm (`md5`), as `DEPOSIT_FILES_CHECKSUMS` names them. */
  readonly digests: Readonly<Record<string, string>>
}

export interface FileVersion {
  readonly id: VersionId
  readonly blob: Blob
  readonly storageClass: string
  /** ISO 8601, UTC. */
  readonly created: string
}

/**
 * Bytes that each version of a file counts in the quota beside its content, for the rows that tell of
 * it; the database adds them up.
 */
export const rowBytes = 512

/** The same, of a file in its bucket or among the deleted ones: its key counts too. */
export function fileRowBytes(key: FileKey): number {
  return rowBytes + Buffer.byteLength(key)
}

/** The same, of an unfinished upload: metadata of its client beyond the size of a usual row count too. */
export function uploadRowBytes(key: FileKey, metadata: object): number {
  return fileRowBytes(key) + Math.max(0, Buffer.byteLength(JSON.stringify(metadata)) - rowBytes)
}

export interface DepositFile {
  readonly id: FileId
  readonly bucket: BucketId
  readonly key: FileKey
  /** Place in the order of the bucket; rising, not necessarily without gaps. */
  readonly position: number
  readonly latest: FileVersion
}

/**
 * Checks that `ids` names every file of `files` exactly once, and answers them in that order.
 *
 * @throws {DepositError} wrong_file: an id is missing, unknown or named twice
 * @see Specification, "Deposit files list", PUT
 */
export function sortFiles(
  files: readonly DepositFile[],
  ids: readonly string[],
): readonly DepositFile[] {
  const byId = new Map<string, DepositFile>(files.map((file) => [file.id, file]))
  const sorted = ids.map((id, index) => {
    const file = byId.get(id)
    if (!file)
      throw wrongField('wrong_file', `/${index}/id`, `"${id}" is not a file here, or named twice.`)
    byId.delete(id)
    return file
  })
  const [left] = byId.values()
  if (left) throw wrongField('wrong_file', '', `The order leaves out "${left.key}" (${left.id}).`)
  return sorted
}

/**
 * The key a name is stored under: its safe form.
 *
 * @throws {DepositError} wrong_file: the name has no safe form
 */
export function toFileKey(name: string): FileKey {
  const safe = safeKey(name)
  if ('reason' in safe) throw wrongField('wrong_file', 'name', `${safe.reason}.`)
  return safe.key as FileKey
}

/**
 * Demands that a name whose file is there is meant for that file.
 *
 * @throws {DepositError} wrong_file: it is another name, of which only the safe form is that key
 */
export function requireOwnName(name: string, key: FileKey): void {
  if (isSamePath(name, key)) return
  throw wrongField(
    'wrong_file',
    'name',
    `The safe form of this name is "${key}", which is the name of another file. ` +
      `To replace that file, send it as "${key}"; or send this one under another name.`,
  )
}

/**
 * A new name that must be given in its safe form.
 *
 * @throws {DepositError} wrong_file: `filename` differs from its own safe form, which the message shows
 * @see Specification, "Deposit file item", PUT
 */
export function parseFileKey(filename: string): FileKey {
  const safe = safeKey(filename)
  if ('reason' in safe) throw wrongField('wrong_file', 'filename', `${safe.reason}.`)
  if (safe.key !== filename) {
    throw wrongField('wrong_file', 'filename', `The safe form of this name is "${safe.key}".`)
  }
  return safe.key as FileKey
}

/** A key as a path of a URL names it: compared by its Unicode form, otherwise as it is. */
export function requestedKey(text: string): FileKey {
  return text.normalize('NFC') as FileKey
}
