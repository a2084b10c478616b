import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import { requireOwnName } from '../files/file-list.ts'
import {
  newFileId,
  newVersionId,
  type Blob,
  type DepositFile,
  type FileKey,
  type FileVersion,
} from '../files/file.ts'
import type { NewFile, UnitOfWork } from '../ports/database.ts'
import { requireBytesAllowed, requireFilesAllowed, type Addition } from './limits.ts'
import type { Parts } from './parts.ts'

/** How a file came by its key. */
export interface Naming {
  /** Refuses to make a new version. */
  readonly mustBeNew?: boolean
  /** The name whose safe form the key is, as it was sent. */
  readonly name?: string
}

/** Durable bytes, and the key under which they are to be a file. */
export interface Put extends Addition, Naming {
  readonly key: FileKey
  readonly blob: Blob
  readonly now: string
  /** Bytes of the blob that count against the quota already. */
  readonly counted?: number
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
  { caller, deposit, key, name, blob, now, mustBeNew, counted }: Put,
): Promise<PutFile> {
  const present = await unit.files.find(deposit.bucket, key)
  await requireBytesAllowed(parts, unit, { caller, deposit }, blob.size, counted)
  if (!present) {
    await requireFilesAllowed(parts, unit, deposit)
    const file = await unit.files.add(newFile(parts, deposit, key, blob, now))
    return { file, isNew: true }
  }
  if (mustBeNew) throw problem('file_already_exists', { key })
  // The same bytes once more are harmless.
  if (name !== undefined && present.latest.blob.sha256 !== blob.sha256) requireOwnName(name, key)
  const version = newVersion(parts, blob, now)
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
