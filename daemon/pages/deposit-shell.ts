import { problem } from '../../core/index.ts'
import type { Services } from '../api/services.ts'

/**
 * Says early, before anybody has signed in, that there is nothing at an address: a deposit that was
 * deleted leaves a tombstone.
 *
 * @throws {DepositError} deposit_not_found, deposit_deleted, moved
 */
export async function requireDeposit({ parts }: Services, value: string): Promise<void> {
  const pid = await parts.database.read.pids.find({ type: parts.pidType, value })
  if (!pid) throw problem('deposit_not_found')
  if (pid.status === 'D') throw problem('deposit_deleted')
  if (pid.redirect) throw problem('moved', pid.redirect)
}
