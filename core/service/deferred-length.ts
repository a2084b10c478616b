import { problem } from '../errors/errors.ts'
import { lengthPassed, type Piece, type Upload } from '../files/upload.ts'
import { requireBytesAllowed, claimRoom, type Addition } from './limits.ts'
import type { Parts } from './parts.ts'
import type { Claim } from './quota-claims.ts'
import { uploadStatus, type UploadStatus } from './upload-status.ts'

/** An upload as a piece of it finds it, and how many bytes the piece may have. */
export interface Admitted {
  readonly upload: Upload
  /** Bytes. */
  readonly limit: number
  /** The refusal of a piece that has more. */
  readonly passed: () => Error
  /** Room for a piece of unknown length, whose bytes are counted as they arrive. */
  readonly claim?: Claim
}

/**
 * Demands that an upload may have a piece. Where the length of the upload is deferred, the piece may
 * settle it; until then its bytes count against the quota before they are read.
 *
 * @throws {DepositError} upload_conflict: it is to have another length, or one that is shorter than what is there
 * @throws {DepositError} file_too_large, quota_exceeded
 */
export async function admitPiece(
  parts: Parts,
  addition: Addition,
  { upload, offset }: UploadStatus,
  { total, length }: Piece,
): Promise<Admitted> {
  if (!upload.lengthDeferred && total !== undefined && total !== upload.size) {
    throw problem('upload_conflict', {
      message: `Upload-Length is ${upload.size} and cannot change.`,
    })
  }
  const size = upload.lengthDeferred ? total : upload.size
  if (size === undefined) {
    if (length === undefined) return admitOpen(parts, addition, upload, offset)
    const announced = await settle(parts, addition, upload, offset + length, true)
    return { upload: announced, limit: length, passed: lengthPassed }
  }
  if (size < offset) {
    throw problem('upload_conflict', {
      message: `${offset} bytes have arrived: Upload-Length cannot be ${size}.`,
    })
  }
  if ((length ?? 0) > size - offset) throw lengthPassed()
  const settled = upload.lengthDeferred ? await settle(parts, addition, upload, size) : upload
  return { upload: settled, limit: size - offset, passed: lengthPassed }
}

/** Counts what has arrived of a piece whose length was not announced. */
export async function countArrived(parts: Parts, upload: Upload): Promise<void> {
  const { offset } = await uploadStatus(parts, upload)
  await parts.database.write((unit) => unit.uploads.resize(upload.id, offset, true))
}

async function admitOpen(
  parts: Parts,
  addition: Addition,
  upload: Upload,
  offset: number,
): Promise<Admitted> {
  const { maxFileSize } = parts.settings
  const claim = await claimRoom(parts, addition, { counted: Math.max(0, upload.size - offset) })
  const limit = maxFileSize - offset
  return { upload, limit, passed: () => problem('file_too_large', { limit: maxFileSize }), claim }
}

/** Makes room in the quota for `size` bytes of an upload, all told. */
async function settle(
  parts: Parts,
  addition: Addition,
  { id, size: counted, ...upload }: Upload,
  size: number,
  lengthDeferred?: true,
): Promise<Upload> {
  using claim = await claimRoom(parts, addition, { size, counted })
  const resized = parts.database.write(async (unit) => {
    await requireBytesAllowed(parts, unit, addition, { size, ofRows: 0, counted })
    if (!(await unit.uploads.resize(id, size, lengthDeferred))) throw problem('upload_not_found')
  })
  await claim.settle(resized)
  const { lengthDeferred: _, ...settled } = upload
  return { ...settled, id, size, ...(lengthDeferred && { lengthDeferred }) }
}
