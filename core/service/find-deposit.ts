import type { Deposit } from '../deposit/deposit.ts'
import { DepositDeleted, DepositNotFound, IdentifierMoved } from '../errors/errors.ts'
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
 * @throws {DepositNotFound} there never was one, or it belongs to another endpoint
 * @throws {DepositDeleted} there was one
 * @throws {IdentifierMoved} the identifier leads to another
 */
export async function findDeposit(
  { deposits, pids }: Rows,
  id: DepositId,
  pidType: string,
): Promise<Deposit> {
  const deposit = await deposits.find(id)
  if (deposit?.pidType === pidType) return deposit
  const pid = await pids.find({ type: pidType, value: id })
  if (pid?.status === 'D') throw new DepositDeleted()
  if (pid?.redirect) throw new IdentifierMoved(pid.redirect.type, pid.redirect.value)
  throw new DepositNotFound()
}

/**
 * The deposit whose files are in `bucket`.
 *
 * @throws {DepositNotFound} there is no such bucket
 */
export async function findByBucket({ deposits }: Rows, bucket: BucketId): Promise<Deposit> {
  const deposit = await deposits.findByBucket(bucket)
  if (!deposit) throw new DepositNotFound('The bucket does not exist.')
  return deposit
}
