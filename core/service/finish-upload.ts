import { nameIn, trashesReplaced } from '../contract/uploads.ts'
import { isProblem, problem } from '../errors/errors.ts'
import { fileRowBytes, type Blob, type DepositFile } from '../files/file.ts'
import type { Upload } from '../files/upload.ts'
import type { Changed } from './change-deposit.ts'
import type { FileRequest, Files } from './files.ts'
import { findDeposit } from './authorize.ts'
import type { Parts } from './parts.ts'
import { furtherAlgorithms, StagedBlob } from './put-file.ts'
import { removeArrived, removeUpload, requireStillThere } from './upload-status.ts'

/**
 * Makes an upload whose bytes are all there a file of its deposit. Until the row says so the bytes
 * are the upload's: a process that dies here does it again at the next request.
 *
 * @throws {DepositError} checksum_mismatch: the bytes are not those announced; the upload is gone
 * @throws {DepositError} file_already_exists: the key has been taken since; the upload stays
 */
export async function finishUpload(
  parts: Parts,
  files: Files,
  request: FileRequest,
  upload: Upload,
): Promise<Changed<DepositFile>> {
  await requireKey(parts, request, upload)
  const staged = new StagedBlob(await measure(parts, request, upload), async () => {})
  await requireChecksum(parts, upload, staged)
  const before = async (unit: Parameters<typeof removeUpload>[1]): Promise<void> => {
    if (!(await unit.uploads.finish(upload.id, parts.clock.now())))
      throw problem('upload_not_found')
  }
  const counted = staged.blob.size + fileRowBytes(upload.key)
  const asked = { ...request, beside: { before }, counted }
  try {
    if (!upload.replaces) return await files.add(asked, upload.key, staged)
    const { deposit, answer } = await files.put(asked, upload.key, staged, {
      name: nameIn(upload.metadata),
      trashesReplaced: trashesReplaced(upload.metadata),
    })
    return { deposit, answer: answer.file }
  } catch (error) {
    await removeOrphan(parts, upload)
    throw error
  }
}

/** Says before the bytes are read once more that the key is taken. */
async function requireKey(
  { database, pidType }: Parts,
  { id }: FileRequest,
  upload: Upload,
): Promise<void> {
  const { bucket } = await findDeposit(database.read, id, pidType)
  if (!upload.replaces && (await database.read.files.find(bucket, upload.key))) {
    throw problem('file_already_exists', { key: upload.key })
  }
}

async function measure(parts: Parts, { id }: FileRequest, upload: Upload): Promise<Blob> {
  try {
    const algorithms = furtherAlgorithms(parts.settings, upload.checksum)
    return await parts.blobs.uploads.finish(upload.id, algorithms)
  } catch (error) {
    await requireStillThere(parts, id, [upload.id])
    throw error
  }
}

/** Bytes that are not what the client has sent are no use to anybody. */
async function requireChecksum(parts: Parts, upload: Upload, staged: StagedBlob): Promise<void> {
  try {
    staged.requireChecksum(upload.checksum)
  } catch (error) {
    if (isProblem(error, 'checksum_mismatch')) {
      await parts.database.write((unit) => removeUpload(parts, unit, upload))
    }
    throw error
  }
}

/** Bytes whose upload was deleted while they were being made a file. */
async function removeOrphan(parts: Parts, { id }: Upload): Promise<void> {
  if (!(await parts.database.read.uploads.find(id))) await removeArrived(parts, [id])
}
