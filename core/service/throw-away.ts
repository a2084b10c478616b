import type { Caller } from '../access/caller.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { DepositFile } from '../files/file.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { Parts } from './parts.ts'
import { removeBlobs } from './remove-blobs.ts'

/** Whether a deleted file is kept: not where the disk is short, so that its bytes are free at once. */
export async function keepsDeleted({ blobs, settings }: Parts): Promise<boolean> {
  return settings.retentionMs > 0 && !(await blobs.isShort())
}

interface ThrownAway {
  readonly deposit: Deposit
  readonly caller: Caller
  readonly now: string
  /** @see keepsDeleted */
  readonly isKept: boolean
}

/** Deletes a file of a draft: into the trash, or for good. */
export async function throwAway(
  parts: Parts,
  unit: UnitOfWork,
  { deposit: { bucket }, caller, now, isKept }: ThrownAway,
  file: DepositFile,
): Promise<void> {
  const by = typeof caller === 'string' ? 'system' : caller.user
  if (isKept) await unit.trash.put(file, { deleted: now, by })
  const blobs = isKept
    ? await unit.trash.limit(bucket, parts.settings.maxFiles)
    : await unit.files.remove(file)
  unit.afterCommit(() => removeBlobs(parts, blobs))
}
