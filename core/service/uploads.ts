import type { Readable } from 'node:stream'
import { requireOpenFiles } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import { newBlobId, toFileKey, uploadRowBytes, type BlobId, type FileKey } from '../files/file.ts'
import type { FileInPieces, Piece, Upload } from '../files/upload.ts'
import type { Readers } from '../ports/database.ts'
import { append, findFinished, noteMaker, type Appended, type Found } from './append-upload.ts'
import { authorize } from './authorize.ts'
import { concatenateUploads, type Concatenated } from './concatenate-uploads.ts'
import { changeDeposit } from './change-deposit.ts'
import type { FileRequest, Files } from './files.ts'
import {
  chargedUser,
  requireBytesAllowed,
  requireKeyAllowed,
  claimRoom,
  type Addition,
  type Counts,
} from './limits.ts'
import type { Parts } from './parts.ts'
import { uploadEmpty } from './empty-upload.ts'
import { isExpired, removeUpload, uploadStatus, type UploadStatus } from './upload-status.ts'

/** A file that one upload brings. */
export interface NewUpload extends FileInPieces, Pick<Upload, 'size' | 'lengthDeferred'> {}

/** A part of a file that is sent in parallel: it has no key. */
export interface NewPart extends Pick<NewUpload, 'size' | 'lengthDeferred' | 'metadata'> {
  readonly concat: 'partial'
}

/** The use cases of files that arrive in pieces. Each asks for permission itself. */
export interface Uploads {
  /**
   * Begins an upload. Its size, and the rows of its file, count against the quota from now on.
   *
   * @throws {DepositError} file_already_exists: the key is taken, and the upload is not to replace
   * @throws {DepositError} invalid_action, files_frozen: the files of the deposit cannot change
   * @throws {DepositError} file_too_large, quota_exceeded, storage_full
   */
  readonly begin: (request: FileRequest, upload: NewUpload | NewPart) => Promise<Upload>

  /**
   * Makes an empty file, and an upload that is finished.
   *
   * @throws {DepositError} what `begin` throws, and checksum_mismatch
   */
  readonly uploadEmpty: (
    request: FileRequest,
    file: FileInPieces,
  ) => Promise<Required<Concatenated>>

  /**
   * Makes a file of uploads that were begun as parts, in the order of `ids`; they are gone then.
   * Asked again, it answers the same.
   *
   * @throws {DepositError} upload_not_found, upload_expired: there is no such part, or it is gone
   * @throws {DepositError} upload_conflict: a part is not complete
   * @throws {DepositError} malformed_request: an upload is no part, or named twice
   * @throws {DepositError} checksum_mismatch, file_already_exists: the parts stay
   */
  readonly concatenate: (
    request: FileRequest,
    ids: readonly BlobId[],
    file: FileInPieces,
  ) => Promise<Concatenated>

  /**
   * How far an upload has come. If all its bytes are there and are no file yet, as after a crash,
   * it is finished first: a client that reads that all have arrived sends nothing more.
   *
   * @throws {DepositError} upload_not_found: the deposit has no such upload
   * @throws {DepositError} upload_expired: it was not finished in time
   * @throws {DepositError} upload_locked: it is to be finished, and the caller may only read
   * @throws {DepositError} what `append` throws at the end of an upload
   */
  readonly find: (
    request: FileRequest,
    id: BlobId,
    turn?: Pick<Piece, 'requireTurn'>,
  ) => Promise<Found>

  /** Uploads of the deposit that are not finished, oldest first. */
  readonly list: (request: FileRequest) => Promise<readonly UploadStatus[]>

  /**
   * Appends bytes from `offset` on; the last one makes the upload a file of the deposit, in the same
   * way as any other upload. If the bytes end early, those that have arrived are kept, unless they
   * have a digest: then all of them are kept, or none.
   *
   * @param bytes given away: the buffers they come in may be left empty
   * @throws {DepositError} upload_conflict: the upload is not at `offset`, or is to have another length
   * @throws {DepositError} file_too_large: these are more bytes than the upload was begun for
   * @throws {DepositError} file_too_large, quota_exceeded: of an upload whose length is deferred
   * @throws {DepositError} invalid_action: the upload was made of parts
   * @throws {DepositError} upload_checksum_mismatch: the bytes do not have the digest
   * @throws {DepositError} checksum_mismatch: all bytes are there and are not those announced; the upload is gone
   * @throws {DepositError} file_already_exists: the key has been taken since; the upload stays, to be finished or deleted
   */
  readonly append: (
    request: FileRequest,
    id: BlobId,
    bytes: Readable,
    piece: Piece,
  ) => Promise<Appended>

  /** Gives an upload up, with all its bytes; a finished one leaves its file alone. */
  readonly abort: (request: FileRequest, id: BlobId) => Promise<void>
}

export function createUploads(parts: Parts, files: Files): Uploads {
  const { read } = parts.database
  return {
    begin: (request, upload) => begin(parts, request, upload),
    uploadEmpty: (request, file) => uploadEmpty(parts, files, request, file),
    find: (request, id, turn) => findFinished(parts, files, request, id, turn),
    list: async ({ caller, id }) => {
      await authorize(parts, caller, id, 'read')
      const found = await read.uploads.unfinished(id)
      const all = await Promise.all(found.map((upload) => uploadStatus(parts, upload)))
      return all.filter((status) => !isExpired(parts, status))
    },
    concatenate: (request, ids, file) => concatenateUploads(parts, files, request, ids, file),
    append: (request, id, bytes, piece) => append(parts, files, request, id, bytes, piece),
    abort: (request, id) => abort(parts, request, id),
  }
}

const makeRoom = 'Finish some of them, or delete them: the link uploads lists them.'
async function begin(
  parts: Parts,
  request: FileRequest,
  wanted: NewUpload | NewPart,
): Promise<Upload> {
  const { database } = parts
  const { caller } = request
  const deposit = await authorize(parts, caller, request.id, 'update', request.expected)
  await requireAllowed(parts, database.read, { caller, deposit }, wanted)
  await noteMaker(parts, caller, deposit)
  await parts.blobs.requireRoom(wanted.size)
  const claimed = { size: wanted.size, ofRows: rowsOf(wanted) }
  using claim = await claimRoom(parts, { caller, deposit }, claimed)
  const change = { ...request, intent: 'update' as const }
  const inserted = changeDeposit(parts, change, async (found, unit, now) => {
    await requireAllowed(parts, unit, { caller, deposit: found }, wanted)
    const id = newBlobId()
    const owner = chargedUser(found)
    const file = 'key' in wanted ? wanted : { ...wanted, key: partKey(id), replaces: false }
    const upload = { ...file, id, deposit: found.id, owner, created: now }
    await unit.uploads.insert(upload)
    return { deposit: found, answer: upload }
  })
  return (await claim.settle(inserted)).answer
}

/** A placeholder: a part has no key of its own. */
function partKey(id: BlobId): FileKey {
  return toFileKey(`${id}.part`)
}

/** Bytes that an upload counts as the rows of the file that it becomes. */
function rowsOf(wanted: NewUpload | NewPart): number {
  return uploadRowBytes('key' in wanted ? wanted.key : partKey(newBlobId()), wanted.metadata)
}

async function requireAllowed(
  parts: Parts,
  rows: Counts & Pick<Readers, 'uploads'>,
  { caller, deposit }: Addition,
  wanted: NewUpload | NewPart,
): Promise<void> {
  requireOpenFiles(deposit, 'upload')
  const { maxUploads } = parts.settings
  if ((await rows.uploads.countUnfinished(deposit.id)) >= maxUploads)
    throw problem('quota_exceeded', { limit: maxUploads, of: 'unfinished uploads', next: makeRoom })
  if ('key' in wanted) await requireKeyAllowed(parts, rows, deposit, wanted)
  const added = { size: wanted.size, ofRows: rowsOf(wanted) }
  await requireBytesAllowed(parts, rows, { caller, deposit }, added)
}

async function abort(parts: Parts, request: FileRequest, id: BlobId): Promise<void> {
  const change = { ...request, intent: 'update' as const, freesRoom: true as const }
  await changeDeposit(parts, change, async (deposit, unit) => {
    const upload = await unit.uploads.find(id)
    if (upload?.deposit !== deposit.id) throw problem('upload_not_found')
    await removeUpload(parts, unit, upload)
    return { deposit, answer: undefined }
  })
}
