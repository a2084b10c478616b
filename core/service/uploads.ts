import type { Readable } from 'node:stream'
import type { Deposit } from '../deposit/deposit.ts'
import { requireOpenFiles } from '../deposit/transitions.ts'
import { FileExists, UploadExpired, UploadNotFound } from '../errors.ts'
import { newBlobId, type BlobId, type DepositFile } from '../files/file.ts'
import type { Upload } from '../files/upload.ts'
import { authorize } from './authorize.ts'
import { changeDeposit, type Changed } from './change-deposit.ts'
import type { FileRequest, Files } from './files.ts'
import { chargedUser, requireBytesAllowed, requireFilesAllowed, type Counts } from './limits.ts'
import type { Parts } from './parts.ts'
import { furtherAlgorithms } from './staged-blob.ts'
import { finishUpload } from './finish-upload.ts'
import { isExpired, removeUpload, uploadStatus, type UploadStatus } from './upload-status.ts'

/** What a client says of a file it is going to send in pieces. */
export type NewUpload = Pick<Upload, 'key' | 'size' | 'replaces' | 'checksum' | 'metadata'>

/** Where an append has brought an upload; with the file where that was its end. */
export interface Appended {
  readonly offset: number
  readonly finished?: Changed<DepositFile>
}

/** The use cases of files that arrive in pieces. Each asks for permission itself. */
export interface Uploads {
  /**
   * Begins an upload. Its size counts against the quota from now on.
   *
   * @throws {FileExists} the key is taken, and the upload is not to replace
   * @throws {InvalidAction | FilesFrozen} the files of the deposit cannot change
   * @throws {FileTooLarge | QuotaExceeded | LimitReached | StorageFull}
   */
  readonly begin: (request: FileRequest, upload: NewUpload) => Promise<Upload>

  /**
   * @throws {UploadNotFound} the deposit has no such upload
   * @throws {UploadExpired} it was not finished in time
   */
  readonly find: (request: FileRequest, id: BlobId) => Promise<UploadStatus>

  /** Uploads of the deposit that are not finished, oldest first. */
  readonly list: (request: FileRequest) => Promise<readonly UploadStatus[]>

  /**
   * Appends bytes from `offset` on; the last one makes the upload a file of the deposit, in the same
   * way as any other upload. What has arrived when the bytes end early is kept.
   *
   * @param bytes given away: the buffers they come in may be left empty
   * @throws {UploadConflict} the upload is not at `offset`
   * @throws {ChecksumMismatch} all bytes are there and are not those announced; the upload is gone
   * @throws {FileExists} the key was taken meanwhile; the upload stays, to be finished or deleted
   */
  readonly append: (
    request: FileRequest,
    id: BlobId,
    bytes: Readable,
    options: { readonly offset: number; readonly signal?: AbortSignal },
  ) => Promise<Appended>

  /** Gives an upload up, with all its bytes; a finished one leaves its file alone. */
  readonly abort: (request: FileRequest, id: BlobId) => Promise<void>
}

export function createUploads(parts: Parts, files: Files): Uploads {
  const { read } = parts.database
  return {
    begin: (request, upload) => begin(parts, request, upload),
    find: async (request, id) => {
      await authorize(parts, request.caller, request.id, 'read')
      return find(parts, request, id)
    },
    list: async ({ caller, id }) => {
      await authorize(parts, caller, id, 'read')
      const found = await read.uploads.unfinished(id)
      const all = await Promise.all(found.map((upload) => uploadStatus(parts, upload)))
      return all.filter((status) => !isExpired(parts, status))
    },
    append: async (request, id, bytes, { offset, signal }) => {
      const deposit = await authorize(parts, request.caller, request.id, 'update')
      requireOpenFiles(deposit, 'upload')
      const { upload } = await find(parts, request, id)
      if (upload.finished !== undefined) return { offset: upload.size }
      const size = await appendInTurn(parts, upload, bytes, offset, signal)
      if (size < upload.size) return { offset: size }
      return { offset: size, finished: await finishUpload(parts, files, request, upload) }
    },
    abort: (request, id) => abort(parts, request, id),
  }
}

async function appendInTurn(
  { blobs, turns, settings }: Parts,
  { id, owner, size, checksum }: Upload,
  bytes: Readable,
  offset: number,
  signal?: AbortSignal,
): Promise<number> {
  using _ = await turns.take(owner, signal)
  const options = {
    offset,
    limit: size - offset,
    algorithms: furtherAlgorithms(settings, checksum),
    isGivenAway: true as const,
    ...(signal && { signal }),
  }
  return await blobs.uploads.append(id, bytes, options)
}

async function begin(parts: Parts, request: FileRequest, wanted: NewUpload): Promise<Upload> {
  const { database } = parts
  const deposit = await authorize(parts, request.caller, request.id, 'update', request.expected)
  await requireAllowed(parts, database.read, deposit, wanted)
  await parts.blobs.requireRoom(wanted.size)
  const change = { ...request, intent: 'update' as const }
  const { answer } = await changeDeposit(parts, change, async (found, unit, now) => {
    await requireAllowed(parts, unit, found, wanted)
    const owner = chargedUser(found)
    const upload = { ...wanted, id: newBlobId(), deposit: found.id, owner, created: now }
    await unit.uploads.insert(upload)
    return { deposit: found, answer: upload }
  })
  return answer
}

async function requireAllowed(
  parts: Parts,
  rows: Counts,
  deposit: Deposit,
  { key, size, replaces }: NewUpload,
): Promise<void> {
  requireOpenFiles(deposit, 'upload')
  const present = await rows.files.find(deposit.bucket, key)
  if (present && !replaces) throw new FileExists(key)
  if (!present) await requireFilesAllowed(parts, rows, deposit)
  await requireBytesAllowed(parts, rows, deposit, size)
}

async function find(parts: Parts, { id: deposit }: FileRequest, id: BlobId): Promise<UploadStatus> {
  const upload = await parts.database.read.uploads.find(id)
  if (upload?.deposit !== deposit) throw new UploadNotFound()
  const status = await uploadStatus(parts, upload)
  if (isExpired(parts, status)) throw new UploadExpired()
  return status
}

async function abort(parts: Parts, request: FileRequest, id: BlobId): Promise<void> {
  await changeDeposit(parts, { ...request, intent: 'update' }, async (deposit, unit) => {
    const upload = await unit.uploads.find(id)
    if (upload?.deposit !== deposit.id) throw new UploadNotFound()
    await removeUpload(parts, unit, upload)
    return { deposit, answer: undefined }
  })
}
