import { Readable } from 'node:stream'
import type { Caller } from '../access/caller.ts'
import { madeBy, requireOpenFiles, type Deposit } from '../deposit/deposit.ts'
import { isProblem, problem } from '../errors/errors.ts'
import type { BlobId, DepositFile } from '../files/file.ts'
import type { Piece, PieceDigest } from '../files/upload.ts'
import type { AppendOptions } from '../ports/upload-store.ts'
import { authorize, findDeposit } from './authorize.ts'
import type { Changed } from './change-deposit.ts'
import { admitPiece, countArrived, type Admitted } from './deferred-length.ts'
import type { FileRequest, Files } from './files.ts'
import { finishUpload } from './finish-upload.ts'
import type { Parts } from './parts.ts'
import { furtherAlgorithms, writeStaged, type StagedBlob } from './put-file.ts'
import { findUpload, uploadStatus, type UploadStatus } from './upload-status.ts'

/** The state of an upload after an append; with the file if that was its end. */
export interface Appended {
  readonly offset: number
  /** Bytes, all told, where that is known. */
  readonly size?: number
  readonly finished?: Changed<DepositFile>
}

/** The state of an upload that was asked for; with the file if that has finished it. */
export type Found = UploadStatus & Pick<Appended, 'finished'>

/** An upload, finished first if all its bytes are there: see `Uploads.find`. */
export async function findFinished(
  parts: Parts,
  files: Files,
  request: FileRequest,
  id: BlobId,
  turn: Pick<Piece, 'requireTurn'> = {},
): Promise<Found> {
  await authorize(parts, request.caller, request.id, 'read')
  const status = await findUpload(parts, request.id, id)
  if (status.upload.finished !== undefined || !isToBeFile(status)) return status
  await requireFinisher(parts, request)
  const piece = { ...turn, offset: status.offset, length: 0 }
  const { finished } = await append(parts, files, request, id, Readable.from([]), piece)
  return { ...status, ...(finished && { finished }) }
}

/** Whether all bytes of a file have arrived; a part is none. */
function isToBeFile({ upload, offset }: Omit<UploadStatus, 'touched'>): boolean {
  return !upload.lengthDeferred && upload.concat !== 'partial' && offset === upload.size
}

/** @throws {DepositError} upload_locked: the caller may only read, and another finishes the upload */
async function requireFinisher(parts: Parts, { caller, id }: FileRequest): Promise<void> {
  try {
    await authorize(parts, caller, id, 'update')
  } catch (error) {
    if (!isProblem(error, 'permission_denied', 'insufficient_scope')) throw error
    throw problem('upload_locked', { message: notFinished })
  }
}

/** See `Uploads.append`. */
export async function append(
  parts: Parts,
  files: Files,
  request: FileRequest,
  id: BlobId,
  bytes: Readable,
  piece: Piece,
): Promise<Appended> {
  const deposit = await authorize(parts, request.caller, request.id, 'update')
  requireOpenFiles(deposit, 'upload')
  await noteMaker(parts, request.caller, deposit)
  const status = await findUpload(parts, request.id, id)
  if (Array.isArray(status.upload.concat))
    throw problem('invalid_action', { operation: 'append', reason: madeOfParts })
  const { offset } = status
  if (offset !== piece.offset) throw problem('upload_conflict', { message: misplaced })
  const admitted = await admitPiece(parts, { caller: request.caller, deposit }, status, piece)
  const { upload } = admitted
  const { size } = upload
  if (upload.finished !== undefined) return { offset, size }
  // A finish that was not recorded may have moved the bytes: nothing is appended to those.
  const isEnd = piece.length === 0 && !piece.digest && isToBeFile({ upload, offset })
  const reached = isEnd ? offset : await appendUnlessWhole(parts, admitted, bytes, piece)
  if (upload.lengthDeferred) return { offset: reached }
  if (reached < size || upload.concat === 'partial') return { offset: reached, size }
  piece.requireTurn?.()
  const finished = await finishUpload(parts, files, request, upload)
  return { offset: reached, size, finished }
}

/** A later request ends the work on an upload that lacks bytes, and waits for that on any other. */
async function appendUnlessWhole(
  parts: Parts,
  admitted: Admitted,
  bytes: Readable,
  piece: Piece,
): Promise<number> {
  const { upload } = admitted
  try {
    return await appendInTurn(parts, admitted, bytes, piece)
  } catch (error) {
    if (!piece.signal?.aborted || isProblem(error) || upload.lengthDeferred) throw error
    const { offset } = await uploadStatus(parts, upload)
    if (offset !== upload.size) throw error
    return offset
  }
}

/** Another may finish the file: who began it, or has sent some of its bytes, is a maker as well. */
export async function noteMaker(parts: Parts, caller: Caller, deposit: Deposit): Promise<void> {
  if (madeBy(deposit, caller) === deposit) return
  await parts.database.write(async (unit) => {
    const found = await findDeposit(unit, deposit.id, parts.pidType)
    await unit.deposits.noteMakers(madeBy(found, caller))
  })
}

async function appendInTurn(
  parts: Parts,
  { upload, limit, passed, claim }: Admitted,
  bytes: Readable,
  { offset, signal, requireTurn, digest }: Piece,
): Promise<number> {
  const { blobs, turns, settings } = parts
  const { id, owner, checksum } = upload
  using stack = new DisposableStack()
  stack.use(claim)
  stack.use(await turns.take(owner, signal))
  const algorithms = furtherAlgorithms(settings, checksum)
  const options = {
    offset,
    limit,
    algorithms,
    ...(signal && { signal }),
    ...(requireTurn && { requireTurn }),
  }
  const admitted = { ...options, ...(claim && { admit: claim.take }) }
  try {
    if (!digest) return await blobs.uploads.append(id, bytes, { ...admitted, isGivenAway: true })
    await using staged = await stagePiece(parts, bytes, digest, admitted)
    return await blobs.uploads.append(id, await blobs.readWhole(staged.blob), options)
  } catch (error) {
    const isPast = isProblem(error, 'file_too_large') && 'limit' in error.details
    throw isPast ? passed() : error
  } finally {
    await claim?.settle(countArrived(parts, upload))
  }
}

/** A piece becomes a part of its upload only once it is known to be right, also after a crash. */
async function stagePiece(
  parts: Parts,
  bytes: Readable,
  { algorithm, hex }: PieceDigest,
  { limit, admit, signal }: Pick<AppendOptions, 'limit' | 'admit' | 'signal'>,
): Promise<StagedBlob> {
  await using staged = await writeStaged(parts, bytes, {
    limit,
    algorithms: [algorithm],
    isGivenAway: true,
    ...(admit && { admit }),
    ...(signal && { signal }),
  })
  const { sha256, digests } = staged.blob
  if ((digests[algorithm] ?? sha256) !== hex) throw problem('upload_checksum_mismatch')
  return staged.handOver()
}

const madeOfParts = 'The file was made of parts and is whole; it takes no further bytes.'
const misplaced = 'Upload-Offset is not where the upload is: ask with HEAD.'

const notFinished =
  'All its bytes have arrived, but it is no file yet: one who may write to the deposit makes it one, ' +
  'with HEAD or an empty PATCH. Try again later.'
