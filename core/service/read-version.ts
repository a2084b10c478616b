import type { Readable } from 'node:stream'
import { isProblem } from '../errors/errors.ts'
import type { Blob, FileVersion } from '../files/file.ts'
import type { ByteRange } from '../ports/blob-store.ts'
import type { Parts } from './parts.ts'

/**
 * Opens the bytes of a version. Without a range the stream fails before its end where they are not
 * those that were uploaded. Damage that is met so is remembered, for the operator to see.
 *
 * @throws {DepositError} damaged_file
 */
export async function readVersion(
  parts: Parts,
  { blob }: FileVersion,
  range?: ByteRange,
): Promise<Readable> {
  try {
    const bytes = await (range ? parts.blobs.read(blob.id, range) : parts.blobs.readWhole(blob))
    bytes.once('error', (error) => void remember(parts, blob, error))
    return bytes
  } catch (error) {
    await remember(parts, blob, error)
    throw error
  }
}

async function remember(parts: Parts, { id }: Blob, error: unknown): Promise<void> {
  if (!isProblem(error, 'damaged_file')) return
  const damage = 'could not be read whole by a client'
  const check = { id, checked: parts.clock.now(), damage }
  await parts.database.write((unit) => unit.upkeep.recordChecks([check])).catch(parts.report)
}
