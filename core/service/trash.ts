import { pieceSize } from '../base/turns.ts'
import { requireOpenFiles, type Deposit } from '../deposit/deposit.ts'
import { problem, type DepositError } from '../errors/errors.ts'
import {
  fileRowBytes,
  type BlobId,
  type BucketId,
  type DepositFile,
  type FileId,
  type FileKey,
} from '../files/file.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { TrashedFile, TrashReader } from '../ports/trash.ts'
import { changeDeposit, type Changed } from './change-deposit.ts'
import type { FileRequest } from './files.ts'
import { chargedUser, requireFilesAllowed, requireLeft, roomForMetadata } from './limits.ts'
import type { Parts } from './parts.ts'
import { removeBlobs } from './remove-blobs.ts'

/**
 * The use cases of files that were deleted from a draft. They are kept for `DEPOSIT_RETENTION_DAYS`,
 * and go earlier where the disk or the quota of their owner is short.
 */
export interface Trash {
  /**
   * The trash of a deposit that its caller was permitted to read, last deleted first: without the
   * first `offset` files, and read as far as it is asked for.
   */
  readonly list: (deposit: Deposit, offset: number) => AsyncIterable<TrashedFile>

  readonly count: (deposit: Deposit) => Promise<number>

  /**
   * Brings a file back with all its versions.
   *
   * @param key a new name; absent for the one it had
   * @throws {DepositError} file_not_found: it is not in the trash, or not any more
   * @throws {DepositError} file_already_exists: the deposit has a file under this key
   * @throws {DepositError} invalid_action, files_frozen, quota_exceeded
   */
  readonly restore: (
    request: FileRequest<DepositFile>,
    id: FileId,
    key?: FileKey,
  ) => Promise<Changed<DepositFile>>

  /** Removes a file for good. @throws {DepositError} file_not_found */
  readonly remove: (request: FileRequest, id: FileId) => Promise<void>

  /** Removes the files for good that are in the trash of a deposit now, a few at a time. */
  readonly empty: (request: FileRequest) => Promise<void>
}

export function createTrash(parts: Parts): Trash {
  const { read } = parts.database
  const purge = (
    request: FileRequest,
    work: (deposit: Deposit, unit: UnitOfWork) => Promise<Removed>,
  ): Promise<Changed<number>> => {
    const change = { ...request, intent: 'update' as const, freesRoom: true as const }
    return changeDeposit(parts, change, async (deposit, unit) => {
      const { files, blobs } = await work(deposit, unit)
      unit.afterCommit(() => removeBlobs(parts, blobs))
      return { deposit, answer: files }
    })
  }
  return {
    list: ({ bucket }, offset) => listTrash(read.trash, bucket, offset),
    count: ({ bucket }) => read.trash.count(bucket),
    restore: (request, id, key) =>
      changeDeposit(parts, { ...request, intent: 'update' }, async (deposit, unit, now) => {
        const trashed = await findTrashed(unit, deposit, id)
        requireOpenFiles(deposit, 'restore')
        await requireFilesAllowed(parts, unit, deposit)
        const wanted = key ?? trashed.key
        if (await unit.files.find(deposit.bucket, wanted)) throw taken(wanted)
        const longer = fileRowBytes(wanted) - fileRowBytes(trashed.key)
        const user = chargedUser(deposit)
        const room =
          longer > 0 && (await roomForMetadata(parts, unit, request.caller, user, deposit.id))
        const answer = await unit.trash.restore(trashed, wanted)
        // Once it is out of the trash: that may have to give way.
        if (room) await requireLeft(parts, unit, { ...room, user }, longer)
        if (trashed.isUnconfirmed) {
          await unit.announcedFiles.remove(deposit.id, wanted)
          await unit.announcedFiles.add(deposit.id, [wanted], now)
        }
        return { deposit: await unit.deposits.touch(deposit, now), answer }
      }),
    remove: async (request, id) => {
      await purge(request, async (deposit, unit) => {
        const blobs = await unit.trash.remove(await findTrashed(unit, deposit, id))
        return { files: 1, blobs }
      })
    },
    empty: async ({ expected, ...request }) => {
      const until = parts.clock.now()
      const removeSome = async (asked: FileRequest): Promise<number> => {
        const some = purge(asked, async ({ bucket }, unit) => {
          const { keys, blobs } = await unit.trash.removeSome(bucket, until)
          return { files: keys.length, blobs }
        })
        return (await some).answer
      }
      // Others change the deposit between two units: the first alone is bound to a revision.
      let files = await removeSome({ ...request, ...(expected && { expected }) })
      while (files > 0) files = await removeSome(request)
    },
  }
}

function taken(key: FileKey): DepositError<'file_already_exists'> {
  const next = 'Send another name as `filename`, or rename that file first.'
  return problem('file_already_exists', { key, next })
}

/** Files that were removed from the trash. */
interface Removed {
  readonly files: number
  /** Bytes that no row names any more. */
  readonly blobs: readonly BlobId[]
}

async function* listTrash(
  trash: TrashReader,
  bucket: BucketId,
  offset: number,
): AsyncGenerator<TrashedFile> {
  let part = await trash.list(bucket, { offset, limit: pieceSize })
  for (;;) {
    yield* part
    const after = part.at(-1)
    if (!after || part.length < pieceSize) return
    part = await trash.list(bucket, { after, limit: pieceSize })
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
