import { DepositError } from '../../../core/index.ts'
import type { Advice } from '../../advice.ts'
import { exitStatus, StartFailure, type ExitReason } from '../../start-failure.ts'
import { toStartFailure } from '../../store-failure.ts'

/** An operator's command that cannot be carried out; the message is what its user reads. */
export class OperatorFailure extends DepositError<'malformed_request'> {
  readonly next: Advice | undefined

  constructor(said: string, next?: Advice) {
    super('malformed_request', { message: next === undefined ? said : `${said} ${next}` })
    this.next = next
  }
}

/** One that a daemon met, and has noted in its audit trail. */
export class FailureInDaemon extends OperatorFailure {
  readonly reason: ExitReason

  constructor(said: string, reason: ExitReason = 'failed') {
    super(said)
    this.reason = reason
  }
}

/** True for the errors of disks, quotas and databases that are full. */
export function isWithoutRoom(error: unknown): boolean {
  const text = error instanceof Error ? error.message : ''
  return /ENOSPC|EDQUOT|system error -122|SQLITE_FULL|database or disk is full/.test(text)
}

/** A failure as `--json` tells it, with the fields that `deposit --json` has. */
interface ToldFailure {
  /** `failed`, or the reason of the exit status: `busy`, `config`, … */
  readonly code: ExitReason
  readonly message: string
  /** Exit status. */
  readonly status: number
  readonly errors: readonly []
  readonly request_id: null
  readonly next: string | null
}

/** The message for a failure: one line, or a stack where it is a bug. */
export function failureOf(error: unknown): ToldFailure {
  if (error instanceof FailureInDaemon) return told(error.reason, error.message)
  if (error instanceof OperatorFailure) return told('failed', error.message, error.next)
  const failure = toStartFailure(error)
  if (failure instanceof StartFailure) return told(failure.reason, failure.message, failure.next)
  const stack = error instanceof Error ? error.stack : undefined
  return told('software', stack ?? String(error))
}

function told(code: ExitReason, message: string, next: string | null = null): ToldFailure {
  return { code, message, status: exitStatus[code], errors: [], request_id: null, next }
}
