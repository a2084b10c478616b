import { DepositError } from '../../../core/index.ts'
import type { Advice } from '../../advice.ts'
import { exitStatus, StartFailure } from '../../start-failure.ts'
import { toStartFailure } from '../../store-failure.ts'

/** An operator's command that cannot be carried out; the message is what its user reads. */
export class OperatorFailure extends DepositError<'malformed_request'> {
  constructor(said: string, next?: Advice) {
    super('malformed_request', { message: next === undefined ? said : `${said} ${next}` })
  }
}

/** One that a daemon met, and has noted in its audit trail. */
export class FailureInDaemon extends OperatorFailure {}

/** True for the errors of disks, quotas and databases that are full. */
export function isWithoutRoom(error: unknown): boolean {
  const text = error instanceof Error ? error.message : ''
  return /ENOSPC|EDQUOT|system error -122|SQLITE_FULL|database or disk is full/.test(text)
}

/** The message for a failure: one line, or a stack where it is a bug. */
export function failureOf(error: unknown): { readonly message: string; readonly status: number } {
  if (error instanceof OperatorFailure) return { message: error.message, status: exitStatus.failed }
  const failure = toStartFailure(error)
  if (failure instanceof StartFailure) {
    return { message: failure.message, status: exitStatus[failure.reason] }
  }
  const stack = error instanceof Error ? error.stack : undefined
  return { message: stack ?? String(error), status: exitStatus.software }
}
