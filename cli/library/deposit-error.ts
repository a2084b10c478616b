import { Failure, isInterruption } from '../failure.ts'
import { toErrorBody } from '../output/report.ts'
import type { Finding } from './types.ts'

/** A request that failed, or was not sent because it would. */
export class DepositError extends Error {
  /**
   * Stable name of the problem: one of the service, such as `invalid_document` or
   * `deposit_not_found`; else `usage`, `unreachable`, `sign_in_first`, `refused`, `not_found` or
   * `failed`. deposit-exit(7) lists them.
   */
  readonly code: string
  /** HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined
  /** The next step for a person, often a command. */
  readonly next: string
  /** Faults in the metadata, conflicts and the like. */
  readonly errors: readonly Finding[]
  /** Id of the request in the log of the service. */
  readonly requestId: string | undefined

  constructor(message: string, problem: Problem, options: ErrorOptions) {
    super(message, options)
    this.code = problem.code
    this.status = problem.status ?? undefined
    this.next = problem.next
    this.errors = problem.errors
    this.requestId = problem.request_id ?? undefined
  }

  override get name(): string {
    return 'DepositError'
  }
}

interface Problem {
  readonly code: string
  readonly status: number | null
  readonly next: string
  readonly errors: readonly Finding[]
  readonly request_id: string | null
}

/**
 * Runs `work`; a failure of the command line becomes a {@link DepositError}, an interruption the
 * reason of the signal.
 */
export async function withPublicErrors<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    signal.throwIfAborted()
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof Failure) || isInterruption(error)) throw error
    throw new DepositError(error.message, toErrorBody(error), { cause: error })
  }
}
