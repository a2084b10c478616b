import { Readable } from 'node:stream'
import { nameIn, trashesReplaced } from '../contract/uploads.ts'
import { requireOpenFiles } from '../deposit/deposit.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { FileInPieces, Upload } from '../files/upload.ts'
import { authorize } from './authorize.ts'
import type { Concatenated } from './concatenate-uploads.ts'
import type { FileRequest, Files } from './files.ts'
import { chargedUser, requireKeyAllowed } from './limits.ts'
import type { Parts } from './parts.ts'
import { stageBlob } from './put-file.ts'

/**
 * Makes an empty file, and the upload that stands for it, in one unit of work: at no moment is the
 * upload an unfinished one, which would keep the deposit from being published.
 */
export async function uploadEmpty(
  parts: Parts,
  files: Files,
  request: FileRequest,
  file: FileInPieces,
): Promise<Required<Concatenated>> {
  const deposit = await authorize(parts, request.caller, request.id, 'update', request.expected)
  requireOpenFiles(deposit, 'upload')
  await requireKeyAllowed(parts, parts.database.read, deposit, file)
  const incoming = { expectedSize: 0, ...(file.checksum && { checksum: file.checksum }) }
  await using staged = await stageBlob(parts, Readable.from([]), incoming)
  const now = parts.clock.now()
  const about = { deposit: deposit.id, owner: chargedUser(deposit), size: 0, created: now }
  const upload: Upload = { ...file, ...about, id: staged.blob.id, finished: now }
  const before = (unit: UnitOfWork): Promise<void> => unit.uploads.insert(upload)
  const asked = { ...request, beside: { before } }
  if (!file.replaces) return { upload, finished: await files.add(asked, file.key, staged) }
  const { deposit: changed, answer } = await files.put(asked, file.key, staged, {
    name: nameIn(file.metadata),
    trashesReplaced: trashesReplaced(file.metadata),
  })
  return { upload, finished: { deposit: changed, answer: answer.file } }
}
