import type { UserId } from '../access/caller.ts'
import type { ToldWithdrawal } from '../contract/withdrawal.ts'
import type { DepositId, PidStatus } from '../pid/deposit-pid.ts'

/** That a record was withdrawn: it is kept with its deposit. */
export interface Withdrawal extends ToldWithdrawal {
  /** Absent where the operator did it. */
  readonly user?: UserId
  /** The files are gone for good. */
  readonly bytesDestroyed: boolean
  /**
   * `digestContents` of the files that are gone, where they are the reason of the withdrawal. Absent
   * without files, and where an earlier version of the program destroyed them.
   */
  readonly contents?: string
  /** Other deposits that have files of the same bytes, which are not removed there. */
  readonly keptBy?: readonly DepositId[]
  /** Status that the identifier of the record had before. */
  readonly pidStatus: PidStatus
}
