import { setTimeout as wait } from 'node:timers/promises'
import { ApiFailure, NoAnswer } from './api-failure.ts'

/** Before each further attempt, give or take half of it. */
const delaysMs = [200, 500, 1000, 2000] as const

/** A server that wants more patience than this is not waited for. Seconds. */
const maxWaitSeconds = 60

/** The server has refused the request before it did anything. */
const refusedBefore = new Set([429, 503])

/** Something between us and the server has failed: it may have done what it was asked to. */
const failedBetween = new Set([502, 504])

export interface RetryOptions {
  readonly signal: AbortSignal
  /** Asking twice has the effect of asking once. */
  readonly isRepeatable: boolean
  /** Called before each further attempt. */
  readonly beforeRetry?: (error: unknown) => Promise<void>
}

/** Does `work` again, a little later, where it failed for a reason that passes. */
export async function withRetries<T>(
  { signal, isRepeatable, beforeRetry }: RetryOptions,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (const [attempt, delayMs] of delaysMs.entries()) {
    try {
      return await work(attempt)
    } catch (error) {
      if (!passes(error, isRepeatable)) throw error
      await wait(patienceMs(error, delayMs), undefined, { signal })
      await beforeRetry?.(error)
    }
  }
  return work(delaysMs.length)
}

function passes(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof NoAnswer) return isRepeatable && error.wasReached
  if (!(error instanceof ApiFailure)) return false
  const { status, code } = error.problem
  // A store that failed stays so until somebody looks after it.
  if (code === 'storage_degraded' || error.retryAfterSeconds > maxWaitSeconds) return false
  return refusedBefore.has(status) || (isRepeatable && failedBetween.has(status))
}

/** Not all at the same time: others were refused with us. */
function patienceMs(error: unknown, delayMs: number): number {
  const asked = error instanceof ApiFailure ? error.retryAfterSeconds * 1000 : 0
  return asked + delayMs * (0.5 + Math.random())
}
