import type { DepositId } from '../pid/deposit-pid.ts'
import { removeBlobs } from './files.ts'
import type { Parts } from './parts.ts'

/**
 * Removes for good, with their files, the deposits that were deleted and kept, once nobody can bring
 * them back any more. What is out of sight for another reason stays.
 *
 * @see Contract §5, "delete"
 */
export async function purgeDeletions(parts: Parts): Promise<void> {
  const { clock, database, settings } = parts
  const before = new Date(Date.parse(clock.settled()) - settings.retentionMs).toISOString()
  for (const id of await database.read.deposits.hiddenBefore(before)) await purge(parts, id, before)
}

async function purge(parts: Parts, id: DepositId, before: string): Promise<void> {
  await parts.database.write(async (unit) => {
    // Somebody may have brought it back meanwhile.
    const hidden = await unit.deposits.findHidden(id)
    if (!hidden || hidden.since >= before) return
    const pid = await unit.pids.find({ type: hidden.deposit.pidType, value: id })
    if (pid?.status !== 'D') return
    const blobs = await unit.files.removeAll(hidden.deposit.bucket)
    await unit.deposits.remove(id)
    unit.afterCommit(() => removeBlobs(parts, blobs))
  })
}
