import { requireOpenFiles, type Deposit } from '../deposit/deposit.ts'
import { requirePermission } from '../deposit/permissions.ts'
import { problem } from '../errors/errors.ts'
import type { FileKey } from '../files/file.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { findDeposit, permissionFor, requireRevision } from './authorize.ts'
import type { Beside } from './change-deposit.ts'
import type { FileRequest } from './files.ts'
import { requireFilesAllowed } from './limits.ts'
import type { Parts } from './parts.ts'

/** The use cases of files that are announced before their bytes are sent. The deposit's revision stays. */
export interface AnnouncedFiles {
  /** Those of a deposit that its caller may read; none once it was published. */
  readonly list: (deposit: Deposit) => Promise<ReadonlySet<FileKey>>
  /**
   * Keeps that files will be sent. Until each was {@link confirm}ed or deleted,
   * {@link requireNoneAnnounced} refuses.
   *
   * @throws {DepositError} file_already_exists: a file of this key is there, or announced
   * @throws {DepositError} quota_exceeded, invalid_action, files_frozen
   */
  readonly announce: (request: FileRequest, keys: readonly FileKey[]) => Promise<void>
  /**
   * The bytes of a file are there as they were meant.
   *
   * @throws {DepositError} file_not_found: no bytes were sent
   */
  readonly confirm: (request: FileRequest, key: FileKey) => Promise<void>
  /** @returns whether a file of this key was announced, and no bytes of it were sent */
  readonly takeBack: (request: FileRequest, key: FileKey) => Promise<boolean>
}

export function createAnnouncedFiles(parts: Parts): AnnouncedFiles {
  const inUnit = async <Result>(
    { caller, id, expected }: FileRequest,
    work: (unit: UnitOfWork, deposit: Deposit) => Promise<Result>,
  ): Promise<Result> =>
    parts.database.write(async (unit) => {
      const { deposits, pids } = unit
      const found = { deposits: { find: deposits.lock }, pids }
      const deposit = await findDeposit(found, id, parts.pidType)
      requirePermission(caller, permissionFor(parts, 'update'), deposit)
      requireRevision(deposit, expected)
      requireOpenFiles(deposit, 'upload')
      return work(unit, deposit)
    })
  return {
    list: async ({ id, record }) =>
      new Set(record ? [] : await parts.database.read.announcedFiles.list(id)),
    announce: async (request, keys) => {
      await parts.blobs.requireRoomForRows()
      await inUnit(request, async (unit, deposit) => {
        const isThere = async (key: FileKey): Promise<boolean> =>
          (await unit.files.find(deposit.bucket, key)) !== undefined
        const announced = await unit.announcedFiles.list(deposit.id)
        const known = new Set(announced)
        for (const key of keys) {
          if (known.has(key) || (await isThere(key))) throw problem('file_already_exists', { key })
          known.add(key)
        }
        let awaited = 0
        for (const key of announced) if (!(await isThere(key))) awaited += 1
        await requireFilesAllowed(parts, unit, deposit, awaited + keys.length)
        await unit.announcedFiles.add(deposit.id, keys, parts.clock.now())
      })
    },
    confirm: async (request, key) =>
      inUnit(request, async (unit, { id, bucket }) => {
        if (!(await unit.files.find(bucket, key))) throw problem('file_not_found')
        await unit.announcedFiles.remove(id, key)
      }),
    takeBack: async (request, key) =>
      inUnit(request, async (unit, { id, bucket }) => {
        // A file with bytes is deleted: in the trash it stays unconfirmed.
        if (await unit.files.find(bucket, key)) return false
        return unit.announcedFiles.remove(id, key)
      }),
  }
}

/**
 * For an interface whose clients announce files: refuses while bytes of one are awaited, or not yet
 * confirmed.
 *
 * @param refusal what is thrown then
 */
export function requireNoneAnnounced(
  { id }: Pick<Deposit, 'id'>,
  refusal: () => Error,
): NonNullable<Beside['before']> {
  return async (unit) => {
    if ((await unit.announcedFiles.list(id)).length > 0) throw refusal()
  }
}
