import type { Deposit } from '../deposit/deposit.ts'
import { problem } from '../errors/errors.ts'
import type { BucketId } from '../files/file.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { DepositReader, PidReader } from '../ports/database.ts'

interface Rows {
  readonly deposits: DepositReader
  readonly pids: PidReader
}

/**
 * The deposit an identifier stands for.
 *
 * @param pidType the type of the identifier: that of an endpoint
 * @throws {DepositError} deposit_not_found: there never was one, or it belongs to another endpoint
 * @throws {DepositError} deposit_deleted: there was one
 * @throws {DepositError} moved: the identifier leads to another
 */
export async function findDeposit(
  { deposits, pids }: Rows,
  id: DepositId,
  pidType: string,
): Promise<Deposit> {
  const deposit = await deposits.find(id)
  if (deposit?.pidType === pidType) return deposit
  const pid = await pids.find({ type: pidType, value: id })
  if (pid?.status === 'D') throw problem('deposit_deleted')
  if (pid?.redirect) throw problem('moved', pid.redirect)
  throw problem('deposit_not_found')
}

/**
 * The deposit whose files are in `bucket`.
 *
 * @throws {DepositError} deposit_not_found: there is no such bucket
 */
export async function findByBucket({ deposits }: Rows, bucket: BucketId): Promise<Deposit> {
  const deposit = await deposits.findByBucket(bucket)
  if (!deposit) throw problem('deposit_not_found', { message: 'The bucket does not exist.' })
  return deposit
}
