import { requireOpenFiles, type Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { BlobId, DepositFile, FileId, FileKey } from '../files/file.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { TrashedFile } from '../ports/trash.ts'
import { changeDeposit, type Changed } from './change-deposit.ts'
import type { FileRequest } from './files.ts'
import { requireFilesAllowed } from './limits.ts'
import type { Parts } from './parts.ts'
import { removeBlobs } from './remove-blobs.ts'

/**
 * The use cases of files that were deleted from a draft. They are kept for `DEPOSIT_RETENTION_DAYS`,
 * and go earlier where the disk or the quota of their owner is short.
 */
export interface Trash {
  /** The trash of a deposit that its caller was permitted to read, last deleted first. */
  readonly list: (deposit: Deposit) => Promise<readonly TrashedFile[]>

  /**
   * Brings a file back with all its versions.
   *
   * @param key a new name; absent for the one it had
   * @throws {DepositError} file_not_found: it is not in the trash, or not any more
   * @throws {DepositError} file_already_exists: the deposit has a file under this key
   * @throws {DepositError} invalid_action, files_frozen, quota_exceeded
   */
  readonly restore: (
    request: FileRequest,
    id: FileId,
    key?: FileKey,
  ) => Promise<Changed<DepositFile>>

  /** Removes a file for good. @throws {DepositError} file_not_found */
  readonly remove: (request: FileRequest, id: FileId) => Promise<Changed<undefined>>

  /** Removes all files of the trash of a deposit for good. */
  readonly empty: (request: FileRequest) => Promise<Changed<undefined>>
}

export function createTrash(parts: Parts): Trash {
  const { read } = parts.database
  const purge = (
    request: FileRequest,
    work: (deposit: Deposit, unit: UnitOfWork) => Promise<readonly BlobId[]>,
  ): Promise<Changed<undefined>> => {
    const change = { ...request, intent: 'update' as const, freesRoom: true as const }
    return changeDeposit(parts, change, async (deposit, unit) => {
      const blobs = await work(deposit, unit)
      unit.afterCommit(() => removeBlobs(parts, blobs))
      return { deposit, answer: undefined }
    })
  }
  return {
    list: ({ bucket }) => read.trash.list(bucket),
    restore: (request, id, key) =>
      changeDeposit(parts, { ...request, intent: 'update' }, async (deposit, unit, now) => {
        const trashed = await findTrashed(unit, deposit, id)
        requireOpenFiles(deposit, 'restore')
        await requireFilesAllowed(parts, unit, deposit)
        const answer = await unit.trash.restore(trashed, key ?? trashed.key)
        return { deposit: await unit.deposits.touch(deposit, now), answer }
      }),
    remove: (request, id) =>
      purge(request, async (deposit, unit) =>
        unit.trash.remove(await findTrashed(unit, deposit, id)),
      ),
    empty: (request) => purge(request, ({ bucket }, unit) => unit.trash.removeAll(bucket)),
  }
}

async function findTrashed(
  { trash }: UnitOfWork,
  { bucket }: Deposit,
  id: FileId,
): Promise<TrashedFile> {
  const found = await trash.find(bucket, id)
  if (found) return found
  const message = 'The file is not among those that can be brought back; it may be gone for good.'
  throw problem('file_not_found', { message })
}

/**
 * Makes room on a full disk: the files that were deleted first go first, of all deposits.
 *
 * @param bytes that are missing
 * @returns whether there was anything to remove
 */
export async function releaseTrash(
  parts: Pick<Parts, 'database' | 'blobs' | 'report'>,
  bytes: number,
): Promise<boolean> {
  const blobs = await parts.database.write((unit) => unit.trash.giveUp(bytes))
  await removeBlobs(parts, blobs)
  return blobs.length > 0
}
