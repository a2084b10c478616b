import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { requireOpenFiles } from '../deposit/deposit.ts'
import { nameIn } from '../contract/uploads.ts'
import { problem, wrongField } from '../errors/errors.ts'
import {
  fileRowBytes,
  type Blob,
  type BlobId,
  type DepositFile,
  type FileKey,
} from '../files/file.ts'
import type { FileInPieces, Upload } from '../files/upload.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { UnitOfWork } from '../ports/database.ts'
import { authorize, findDeposit } from './authorize.ts'
import type { Changed } from './change-deposit.ts'
import type { FileRequest, Files } from './files.ts'
import { chargedUser, requireKeyAllowed } from './limits.ts'
import type { Parts } from './parts.ts'
import { furtherAlgorithms, writeStaged, type StagedBlob } from './put-file.ts'
import { findUpload, removeArrived, requireStillThere, type UploadStatus } from './upload-status.ts'

/** A file that was made of parts, and the upload that stands for it. */
export interface Concatenated {
  readonly upload: Upload
  /** Absent where it was made before. */
  readonly finished?: Changed<DepositFile>
}

/**
 * Copies the bytes of parts, one after another, into a blob of their own, and makes it a file in
 * the unit of work that removes the parts. Until then nothing has changed: a process that dies here
 * leaves all parts as they were, and the request can be sent again. So does one that is refused: the
 * parts may have been named in another order than theirs.
 */
export async function concatenateUploads(
  parts: Parts,
  files: Files,
  request: FileRequest,
  ids: readonly BlobId[],
  file: FileInPieces,
): Promise<Concatenated> {
  const deposit = await authorize(parts, request.caller, request.id, 'update', request.expected)
  const { read } = parts.database
  const before = await read.uploads.findFinal(deposit.id, ids)
  if (before) {
    if (before.key !== file.key) throw problem('upload_conflict', { message: joined(before.key) })
    await requireSame(parts, before, file)
    return { upload: before }
  }
  requireOpenFiles(deposit, 'upload')
  await requireKeyAllowed(parts, read, deposit, file)
  const { size, ofRows } = await requireComplete(parts, request, ids)
  const owner = chargedUser(deposit)
  using _ = await parts.turns.take(owner)
  await using staged = await stageParts(parts, deposit.id, ids, { size, checksum: file.checksum })
  staged.requireChecksum(file.checksum, partsStay)
  const now = parts.clock.now()
  const about = { deposit: deposit.id, owner, size, created: now, finished: now }
  const upload = { ...file, ...about, id: staged.blob.id, concat: ids }
  const asked = {
    ...request,
    counted: size + ofRows,
    beside: { before: (unit: UnitOfWork) => replace(parts, unit, upload) },
  }
  if (!file.replaces) return { upload, finished: await files.add(asked, file.key, staged) }
  const put = await files.put(asked, file.key, staged, { name: nameIn(file.metadata) })
  return { upload, finished: { deposit: put.deposit, answer: put.answer.file } }
}

/**
 * Compares the checksum of a request that came again with the file that was made.
 *
 * @throws {DepositError} checksum_mismatch
 */
async function requireSame(
  parts: Parts,
  before: Upload,
  { checksum }: FileInPieces,
): Promise<void> {
  if (checksum === undefined || checksum === before.checksum) return
  const blob = await parts.database.read.blobs.find(before.id)
  if (!blob) throw problem('upload_conflict', { message: removed(before.key) })
  const [algorithm = ''] = checksum.split(':')
  const known = algorithm === 'sha256' ? blob.sha256 : blob.digests[algorithm]
  const computed = `${algorithm}:${known ?? (await digestOf(parts, blob, algorithm))}`
  if (computed !== checksum)
    throw problem('checksum_mismatch', { given: checksum, computed, left: fileStays })
}

async function digestOf(parts: Parts, blob: Blob, algorithm: string): Promise<string> {
  const hash = createHash(algorithm)
  for await (const chunk of bytesOf(parts, [blob])) hash.update(chunk)
  return hash.digest('hex')
}

/** Answers how many bytes the parts have together, and their rows. */
async function requireComplete(
  parts: Parts,
  { id }: FileRequest,
  ids: readonly BlobId[],
): Promise<{ readonly size: number; readonly ofRows: number }> {
  if (new Set(ids).size < ids.length)
    throw wrongField('malformed_request', header, 'It names a part twice.')
  let [total, ofRows] = [0, 0]
  for (const part of ids) {
    const { upload, offset } = await findPart(parts, id, part)
    if (upload.concat !== 'partial') {
      throw wrongField(
        'malformed_request',
        header,
        `The upload ${part} was not begun with ${header}: partial.`,
      )
    }
    if (upload.lengthDeferred) {
      throw problem('upload_conflict', {
        message: `The length of the part ${part} is not known: send its Upload-Length with a PATCH first.`,
      })
    }
    if (offset < upload.size) {
      throw problem('upload_conflict', {
        message: `The part ${part} has ${offset} of ${upload.size} bytes: finish it first.`,
      })
    }
    total += upload.size
    ofRows += fileRowBytes(upload.key)
  }
  const { maxFileSize } = parts.settings
  if (total > maxFileSize) throw problem('file_too_large', { limit: maxFileSize })
  return { size: total, ofRows }
}

/** @throws {DepositError} deposit_deleted: the deposit went in between, with its uploads */
async function findPart(parts: Parts, id: DepositId, part: BlobId): Promise<UploadStatus> {
  try {
    return await findUpload(parts, id, part)
  } catch (error) {
    await findDeposit(parts.database.read, id, parts.pidType)
    throw error
  }
}

const header = 'Upload-Concat'
const joined = (key: FileKey): string =>
  `The parts were made the file "${key}" already: to store it under another name, rename it.`

const removed = (key: FileKey): string =>
  `The parts were made the file "${key}" already, which was removed since: send its bytes again.`

const fileStays = 'The file was made of the parts before, and stays as it is.'

const partsStay =
  'No file was made of them. The parts are still there: name them in their order, or delete them.'

interface Whole {
  /** Bytes. */
  readonly size: number
  readonly checksum: string | undefined
}

async function stageParts(
  parts: Parts,
  deposit: DepositId,
  ids: readonly BlobId[],
  { size, checksum }: Whole,
): Promise<StagedBlob> {
  try {
    const sources: Blob[] = []
    for (const id of ids) sources.push(await parts.blobs.uploads.finish(id, []))
    const bytes = Readable.from(bytesOf(parts, sources), { objectMode: false })
    const algorithms = furtherAlgorithms(parts.settings, checksum)
    return await writeStaged(parts, bytes, { limit: size, expectedSize: size, algorithms })
  } catch (error) {
    await requireStillThere(parts, deposit, ids)
    throw error
  }
}

/** Fails where a part is not what was measured when it arrived. */
async function* bytesOf({ blobs }: Parts, sources: readonly Blob[]): AsyncGenerator<Buffer> {
  for (const blob of sources) yield* await blobs.readWhole(blob)
}

/** Puts the finished upload in the place of its parts, whose quota it takes over. */
async function replace(
  parts: Parts,
  unit: UnitOfWork,
  upload: Upload & { readonly concat: readonly BlobId[] },
): Promise<void> {
  await removeParts(parts, unit, upload.concat)
  await unit.uploads.insert(upload)
}

/** @throws {DepositError} upload_not_found: another request has made the file, or has deleted a part */
async function removeParts(parts: Parts, unit: UnitOfWork, ids: readonly BlobId[]): Promise<void> {
  for (const id of ids) if (!(await unit.uploads.remove(id))) throw problem('upload_not_found')
  unit.afterCommit(() => removeArrived(parts, ids))
}
