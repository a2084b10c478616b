import { problem } from '../errors/errors.ts'
import type { BlobId } from '../files/file.ts'
import type { Upload } from '../files/upload.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { findDeposit } from './authorize.ts'
import type { Parts } from './parts.ts'

/** An upload, and how far it has come. */
export interface UploadStatus {
  readonly upload: Upload
  /** Bytes that are durable. */
  readonly offset: number
  /** When the last of them came. ISO 8601, UTC. */
  readonly touched: string
}

/**
 * @throws {DepositError} upload_not_found: the deposit has no such upload
 * @throws {DepositError} upload_expired: it was not finished in time
 */
export async function findUpload(
  parts: Parts,
  deposit: DepositId,
  id: BlobId,
): Promise<UploadStatus> {
  const upload = await parts.database.read.uploads.find(id)
  if (upload?.deposit !== deposit) throw problem('upload_not_found')
  const status = await uploadStatus(parts, upload)
  if (isExpired(parts, status)) throw problem('upload_expired')
  return status
}

export async function uploadStatus({ blobs }: Parts, upload: Upload): Promise<UploadStatus> {
  if (upload.finished !== undefined) {
    return { upload, offset: upload.size, touched: upload.finished }
  }
  const progress = await blobs.uploads.find(upload.id)
  const touched = progress?.touched.toISOString() ?? upload.created
  return { upload, offset: progress?.size ?? 0, touched }
}

/** Until when the upload may go on: each byte that comes puts it off. ISO 8601, UTC. */
export function expiryOf({ settings }: Parts, { touched }: UploadStatus): string {
  return new Date(Date.parse(touched) + settings.uploadExpiryMs).toISOString()
}

export function isExpired(parts: Parts, status: UploadStatus): boolean {
  return expiryOf(parts, status) <= parts.clock.settled()
}

/**
 * Tells apart bytes that fail from those that were deleted under our hands, with their upload or with
 * the deposit.
 *
 * @throws {DepositError} deposit_deleted, upload_not_found
 */
export async function requireStillThere(
  { database, pidType }: Parts,
  deposit: DepositId,
  ids: readonly BlobId[],
): Promise<void> {
  await findDeposit(database.read, deposit, pidType)
  for (const id of ids)
    if (!(await database.read.uploads.find(id))) throw problem('upload_not_found')
}

/** Removes an upload, and its bytes after the commit unless they are a file's by now. */
export async function removeUpload(
  parts: Parts,
  unit: UnitOfWork,
  { id, finished }: Upload,
): Promise<void> {
  await unit.uploads.remove(id)
  if (finished === undefined) unit.afterCommit(() => removeArrived(parts, [id]))
}

/** Removes bytes of uploads whose rows are gone; a failure is left for the next sweep. */
export async function removeArrived(parts: Parts, ids: readonly BlobId[]): Promise<void> {
  const { blobs, database, report } = parts
  for (const id of ids) {
    if (await database.read.blobs.find(id)) continue
    await blobs.uploads.remove(id).catch(report)
  }
}
