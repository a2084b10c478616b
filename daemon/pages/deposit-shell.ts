import { DepositDeleted, DepositNotFound, IdentifierMoved } from '../../core/index.ts'
import type { Services } from '../api/services.ts'

/**
 * Says early, before anybody has signed in, that there is nothing at an address: a deposit that was
 * deleted leaves a tombstone.
 *
 * @throws {DepositNotFound | DepositDeleted | IdentifierMoved}
 */
export async function requireDeposit({ parts }: Services, value: string): Promise<void> {
  const pid = await parts.database.read.pids.find({ type: parts.pidType, value })
  if (!pid) throw new DepositNotFound()
  if (pid.status === 'D') throw new DepositDeleted()
  if (pid.redirect) throw new IdentifierMoved(pid.redirect.type, pid.redirect.value)
}
