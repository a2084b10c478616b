import type { Readable } from 'node:stream'
import type { Caller, User } from '../access/caller.ts'
import { filesAreOpen, filesRestricted, mayReadFiles } from '../access/file-access.ts'
import { isPermitted, requirePermission } from '../deposit/permissions.ts'
import { requireOpenFiles, type Deposit } from '../deposit/deposit.ts'
import { findLatest, requireEditable } from '../actions/published-record.ts'
import { parseInTurn } from '../deposit/document.ts'
import { problem, refused } from '../errors/errors.ts'
import {
  fileRowBytes,
  rowBytes,
  sortFiles,
  type BucketId,
  type DepositFile,
  type FileKey,
  type FileVersion,
  type VersionId,
} from '../files/file.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { ByteRange, DownloadAs } from '../ports/blob-store.ts'
import type { UnitOfWork } from '../ports/database.ts'
import {
  authorize,
  findByBucket,
  permissionFor,
  shownTo,
  type ExpectedRevision,
} from './authorize.ts'
import { changeDeposit, type Beside, type Change, type Changed } from './change-deposit.ts'
import {
  chargedUser,
  claimedForRows,
  claimRoom,
  requireBytesAllowed,
  requireFilesAllowed,
  requireLeft,
  requireMetadataAllowed,
  roomForMetadata,
} from './limits.ts'
import type { Parts } from './parts.ts'
import {
  newFile,
  newVersion,
  askForPut,
  putFile,
  stageBlob,
  type Naming,
  type PutFile,
  type Incoming,
  type StagedBlob,
} from './put-file.ts'
import { readVersion } from './read-version.ts'
import { keepsDeleted, throwAway } from './throw-away.ts'

/** A file of a bucket, with one of its versions. */
export interface FoundVersion {
  readonly deposit: Deposit
  readonly file: DepositFile
  readonly version: FileVersion
}

/** A bucket that a caller may read. */
export interface OpenedBucket {
  readonly deposit: Deposit
  /** Everybody may read it: it was published, and its files are open. */
  readonly isPublic: boolean
}

/** Which deposit is asked for, by whom, and at which revision. */
export interface FileRequest<Answer = unknown> {
  readonly caller: Caller
  readonly id: DepositId
  readonly expected?: ExpectedRevision
  /** The deposit, where the same request has read it. */
  readonly found?: Deposit
  /** Rows stored in the same unit of work, if the request changes anything. */
  readonly beside?: Beside<Answer>
  /** Bytes of the file, and of its rows, that count against the quota already, where the request brings one. */
  readonly counted?: number
}

/**
 * The use cases of the files of a deposit. Each that takes a {@link FileRequest} asks for permission
 * itself; `list` is given a deposit that its caller was permitted to read.
 */
export interface Files {
  /** The files in the order of the draft. */
  readonly list: (deposit: Deposit) => Promise<readonly DepositFile[]>

  /**
   * Takes bytes in and makes them durable, before any row names them. They are removed when the
   * result is disposed of, unless {@link add} or {@link put} has kept them.
   *
   * @param bytes given away: the buffers they come in may be left empty
   * @throws {DepositError} invalid_action, files_frozen: the files of the deposit cannot change
   * @throws {DepositError} file_too_large, quota_exceeded, checksum_mismatch, broken_upload
   * @throws {DepositError} storage_full, storage_degraded
   */
  readonly stage: (request: FileRequest, bytes: Readable, incoming: Incoming) => Promise<StagedBlob>

  /**
   * Adds staged bytes as a new file.
   *
   * @throws {DepositError} file_already_exists: the deposit has a file under this key
   * @throws {DepositError} invalid_action, files_frozen
   */
  readonly add: (
    request: FileRequest<DepositFile>,
    key: FileKey,
    staged: StagedBlob,
  ) => Promise<Changed<DepositFile>>

  /**
   * Adds staged bytes as a new file, or as a new version of the one under this key.
   *
   * @throws {DepositError} file_already_exists: there is a file, and it must be new
   * @throws {DepositError} wrong_file: there is a file, and its name is another
   */
  readonly put: (
    request: FileRequest<PutFile>,
    key: FileKey,
    staged: StagedBlob,
    naming?: Naming,
  ) => Promise<Changed<PutFile>>

  /**
   * Sorts the files by the given ids, each exactly once.
   *
   * @throws {DepositError} invalid_action: the deposit is not a draft
   * @throws {DepositError} wrong_file: `ids` is not a permutation of the files' ids
   */
  readonly sort: (
    request: FileRequest<readonly DepositFile[]>,
    ids: readonly string[],
  ) => Promise<Changed<readonly DepositFile[]>>

  /**
   * @throws {DepositError} file_not_found: there is no file under `from`
   * @throws {DepositError} file_already_exists: another file is under `to`
   * @throws {DepositError} quota_exceeded: there is no room for a longer name
   * @throws {DepositError} invalid_action, files_frozen
   */
  readonly rename: (
    request: FileRequest<DepositFile>,
    from: FileKey,
    to: FileKey,
  ) => Promise<Changed<DepositFile>>

  /**
   * Makes the bytes of an earlier version those of the file again, as a further version: none is lost,
   * and no byte is copied.
   *
   * @throws {DepositError} version_not_found, invalid_action, files_frozen, quota_exceeded
   */
  readonly bringBack: (
    request: FileRequest<DepositFile>,
    version: VersionId,
  ) => Promise<Changed<DepositFile>>

  /**
   * Deletes a file with its versions. They can be brought back for a while; where the disk is short,
   * their bytes are free at once.
   *
   * @param requireMeant throws where it is not the file that the caller means; asked when no other
   *   change can come between
   * @throws {DepositError} file_not_found, invalid_action, files_frozen
   */
  readonly remove: (
    request: FileRequest<undefined>,
    key: FileKey,
    requireMeant?: (version: FileVersion, deposit: Deposit) => void,
  ) => Promise<Changed<undefined>>

  /**
   * Gives the draft of a next version the files of the version before it; no byte is copied.
   *
   * @throws {DepositError} file_already_exists: it has files
   * @throws {DepositError} invalid_action, files_frozen; there is no version before it
   * @throws {DepositError} quota_exceeded
   */
  readonly importPrevious: (request: FileRequest) => Promise<Changed<undefined>>

  /** @throws {DepositError} file_not_found, version_not_found */
  readonly find: (request: FileRequest, key: FileKey, version?: VersionId) => Promise<FoundVersion>

  /**
   * The bytes of a version. Without a range the stream fails before its end where they are not
   * those that were uploaded.
   *
   * @throws {DepositError} damaged_file: they are not there, or damaged
   */
  readonly read: (version: FileVersion, range?: ByteRange) => Promise<Readable>

  /**
   * A short-lived URL at which anyone can read the bytes of a version (S3: presigned); undefined
   * where the service sends them itself.
   */
  readonly addressOf: (version: FileVersion, as: DownloadAs) => Promise<string | undefined>

  /**
   * The deposit a bucket belongs to, for a caller who may read it; everybody may where the deposit
   * was published and its files are open.
   *
   * @throws {DepositError} files_restricted: it was published, and they are not open yet
   */
  readonly openBucket: (caller: Caller, bucket: BucketId) => Promise<OpenedBucket>
}

export function createFiles(parts: Parts): Files {
  const { read } = parts.database
  const update = <Answer>(
    request: FileRequest<Answer> & Pick<Change, 'freesRoom' | 'isLocal' | 'ahead'>,
    work: (deposit: Deposit, unit: UnitOfWork, now: string) => Promise<Changed<Answer>>,
  ): Promise<Changed<Answer>> => changeDeposit(parts, { ...request, intent: 'update' }, work)

  return {
    list: (deposit) => read.files.list(deposit.bucket, 'draft'),
    stage: async ({ caller, id, expected, found }, bytes, incoming) => {
      const deposit = await authorize(parts, caller, id, 'update', expected, found)
      requireOpenFiles(deposit, 'upload')
      using held = new DisposableStack()
      const { expectedSize: size, key } = incoming
      const ofRows = claimedForRows(parts, deposit, [key])
      const claimed = size === undefined ? ofRows : { ...ofRows, size }
      const claim = held.use(await claimRoom(parts, { caller, deposit }, claimed))
      using _ = await parts.turns.take(chargedUser(deposit), incoming.signal)
      const staged = await stageBlob(parts, bytes, incoming, claim)
      held.move()
      return staged
    },
    add: (request, key, staged) =>
      staged.keepWhen(
        update({ ...request, isLocal: true }, async (deposit, unit, now) => {
          requireOpenFiles(deposit, 'upload')
          await requireFilesAllowed(parts, unit, deposit)
          const { caller, counted = 0 } = request
          const added = { size: staged.blob.size, ofRows: fileRowBytes(key), counted }
          await requireBytesAllowed(parts, unit, { caller, deposit }, added)
          const file = await unit.files.add(newFile(parts, deposit, key, staged.blob, now))
          await unit.announcedFiles.remove(deposit.id, key)
          return { deposit: await unit.deposits.touch(deposit, now), answer: file }
        }),
      ),
    put: async (request, key, staged, naming) => {
      // Where no deleted file is kept, the one that was there stays as an older version.
      const trashesReplaced = naming?.trashesReplaced === true && (await keepsDeleted(parts))
      const { caller, counted = 0, found } = request
      let asked: ReturnType<typeof askForPut> | undefined
      const ahead = found && {
        ahead: (unit: UnitOfWork) => void (asked = askForPut(unit, found, key)),
      }
      const local = { ...request, ...ahead, isLocal: true as const }
      return staged.keepWhen(
        update(trashesReplaced ? request : local, async (deposit, unit, now) => {
          requireOpenFiles(deposit, 'upload')
          const as = { ...naming, trashesReplaced, ...(asked && { asked }) }
          const put = { ...as, caller, deposit, key, blob: staged.blob, now, counted }
          const answer = await putFile(parts, unit, put)
          return { deposit: await unit.deposits.touch(deposit, now), answer }
        }),
      )
    },
    sort: (request, ids) =>
      update(request, async (deposit, unit, now) => {
        const sorted = sortFiles(await unit.files.list(deposit.bucket, 'draft'), ids)
        await requireEditable(deposit, 'sort', unit.pids)
        await unit.files.reorder(sorted, deposit.record !== undefined)
        return { deposit: await unit.deposits.touch(deposit, now), answer: sorted }
      }),
    rename: (request, from, to) =>
      update(request, async (deposit, unit, now) => {
        const file = await findFile(unit, deposit, from)
        requireOpenFiles(deposit, 'rename')
        if (from === to) return { deposit, answer: file }
        const longer = fileRowBytes(to) - fileRowBytes(from)
        const user = chargedUser(deposit)
        await requireMetadataAllowed(parts, unit, request.caller, user, longer, deposit.id)
        const renamed = await unit.files.rename(file, to)
        // It is not confirmed by another name.
        if (await unit.announcedFiles.remove(deposit.id, from)) {
          await unit.announcedFiles.remove(deposit.id, to)
          await unit.announcedFiles.add(deposit.id, [to], now)
        }
        return { deposit: await unit.deposits.touch(deposit, now), answer: renamed }
      }),
    bringBack: (request, version) =>
      update(request, async (deposit, unit, now) => {
        const file = await unit.files.findByVersion(deposit.bucket, version)
        const found = file && (await unit.files.findVersion(file, version))
        if (!found) throw problem('version_not_found')
        requireOpenFiles(deposit, 'restore')
        if (found.id === file.latest.id) return { deposit, answer: file }
        const user = chargedUser(deposit)
        await requireMetadataAllowed(parts, unit, request.caller, user, rowBytes, deposit.id)
        await unit.announcedFiles.remove(deposit.id, file.key)
        const answer = await unit.files.bringBack(file, newVersion(parts, found.blob, now))
        return { deposit: await unit.deposits.touch(deposit, now), answer }
      }),
    remove: async (request, key, requireMeant) => {
      const isKept = await keepsDeleted(parts)
      return update({ ...request, freesRoom: true }, async (deposit, unit, now) => {
        const file = await findFile(unit, deposit, key)
        requireMeant?.(file.latest, deposit)
        requireOpenFiles(deposit, 'delete')
        await throwAway(parts, unit, { deposit, caller: request.caller, now, isKept }, file)
        await unit.announcedFiles.remove(deposit.id, key)
        return { deposit: await unit.deposits.touch(deposit, now), answer: undefined }
      })
    },
    importPrevious: (request) =>
      update(request, async (deposit, unit, now) => {
        requireOpenFiles(deposit, 'import')
        const [present] = await unit.files.list(deposit.bucket, 'draft')
        if (present) throw problem('file_already_exists', { key: present.key })
        const { caller } = request
        const before = await previousBucket(parts, unit, caller, deposit)
        const user = chargedUser(deposit)
        const room = await roomForMetadata(parts, unit, caller, user, deposit.id)
        const ofRows = await unit.files.carryOver(before, deposit.bucket)
        await requireLeft(parts, unit, { ...room, user }, ofRows)
        return { deposit: await unit.deposits.touch(deposit, now), answer: undefined }
      }),
    find: async ({ caller, id }, key, version) => {
      const deposit = await authorize(parts, caller, id, 'read')
      return findVersion(parts, caller, deposit, key, version)
    },
    read: (version, range) => readVersion(parts, version, range),
    addressOf: async ({ blob }, as) =>
      parts.settings.redirectsDownloads ? parts.blobs.addressOf?.(blob, as) : undefined,
    openBucket: async (caller, bucket) => {
      const deposit = await findByBucket(read, bucket)
      const { record, withdrawal } = deposit
      const permission = permissionFor(parts, 'read')
      if (record && !withdrawal) {
        const [latest, now] = [await findLatest(read, record), parts.clock.now()]
        await parseInTurn(latest)
        const mayRead = (user: User) => isPermitted(user, permission, deposit)
        if (!mayReadFiles(caller, latest, now, mayRead)) throw filesRestricted(latest)
        return { deposit: shownTo(caller, deposit), isPublic: filesAreOpen(latest, now) }
      }
      if (isPermitted(caller, permission, deposit))
        return { deposit: shownTo(caller, deposit), isPublic: false }
      if (record && withdrawal)
        throw problem('record_withdrawn', { value: record.value, withdrawal })
      requirePermission(caller, permission, deposit)
      return { deposit, isPublic: false }
    },
  }
}

/**
 * @throws {DepositError} invalid_action: there is no version before it, or it was withdrawn
 * @throws {DepositError} files_restricted: its files are not open, and the caller may not have them
 */
async function previousBucket(
  parts: Parts,
  { records, deposits }: Pick<UnitOfWork, 'records' | 'deposits'>,
  caller: Caller,
  { predecessor }: Deposit,
): Promise<BucketId> {
  const before = predecessor === undefined ? undefined : await records.find(predecessor)
  const deposit = before && (await deposits.find(before.deposit.id))
  if (!before || !deposit || deposit.withdrawal) throw refused('import', 'never_published')
  const mayRead = (user: User) => isPermitted(user, permissionFor(parts, 'read'), deposit)
  if (!mayReadFiles(caller, before, parts.clock.now(), mayRead)) throw filesRestricted(before)
  return before.bucket
}

/** A version of a file of a deposit that the caller may read. */
export async function findVersion(
  { database }: Parts,
  caller: Caller,
  deposit: Deposit,
  key: FileKey,
  version?: VersionId,
): Promise<FoundVersion> {
  const file = await database.read.files.find(deposit.bucket, key)
  if (!file) throw problem('file_not_found')
  if (version === undefined) return { deposit, file, version: file.latest }
  // What was replaced may name those whom a link hides.
  if (typeof caller !== 'string' && caller.link && version !== file.latest.id)
    throw problem('version_not_found')
  const found = await database.read.files.findVersion(file, version)
  if (!found) throw problem('version_not_found')
  return { deposit, file, version: found }
}

async function findFile(unit: UnitOfWork, deposit: Deposit, key: FileKey): Promise<DepositFile> {
  const file = await unit.files.find(deposit.bucket, key)
  if (!file) throw problem('file_not_found')
  return file
}
