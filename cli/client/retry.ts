import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Failure } from '../failure.ts'
import { ApiFailure, NoAnswer } from './api-failure.ts'
import { SilentServer } from './http.ts'

/** Delay before each retry, plus or minus a half. */
const delaysMs = [200, 500, 1000, 2000] as const

/** No retry if the server asks for a longer wait. Seconds. */
const maxWaitSeconds = 60

/** Statuses of requests that were refused before any effect. */
const refusedBefore = new Set([423, 429, 503])

/** Statuses of a failed proxy: the request may have had its effect. */
const failedBetween = new Set([502, 504])

/** Delays grow to this. */
const longestMs = 30_000

/**
 * The requests that one server refused because there were too many: they are retried one after
 * another. Together they would be too many again, until each has run out of attempts.
 */
export class RetryLine {
  #last: Promise<void> = Promise.resolve()

  /** Resolves once those before it have left. */
  async enter(): Promise<Disposable> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    return { [Symbol.dispose]: resolve }
  }
}

/** Set in work that has the first place of its line: a request within it that waits would wait for it. */
const isFirst = new AsyncLocalStorage<true>()

export interface RetryOptions {
  readonly signal: AbortSignal
  /** Further attempts; as many as there are delays by default. */
  readonly retries?: number | undefined
  /** The request is idempotent. */
  readonly isRepeatable: boolean
  readonly line?: RetryLine
  /** Called before each further attempt. */
  readonly beforeRetry?: (error: unknown) => Promise<void>
}

/** Failures after all retries: work that is a part of other work is not retried again by that. */
const spent = new WeakSet<object>()

/**
 * Retries `work` with a growing delay after temporary failures. A server that was silent for as long
 * as the timeout is asked once more, over another connection.
 */
export async function withRetries<T>(
  { signal, isRepeatable, line, beforeRetry, retries: asked }: RetryOptions,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  using place = new DisposableStack()
  let run = work
  const retries = asked ?? delaysMs.length
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run(attempt)
    } catch (error) {
      const isLost = error instanceof NoAnswer && !error.wasReached
      // A server that was never there: most likely its address is wrong.
      if (!passes(error, isRepeatable) || (isLost && asked === undefined)) throw error
      const isSilent = error instanceof NoAnswer && error.cause instanceof SilentServer
      if (attempt >= (isSilent ? Math.min(retries, 1) : retries)) {
        spent.add(error)
        throw error
      }
      const since = performance.now()
      if (line && run === work && !isFirst.getStore() && isRefusedForNumber(error)) {
        place.use(await line.enter())
        run = (next) => isFirst.run(true, () => work(next))
      }
      const leftMs = patienceMs(error, delayBefore(attempt)) - (performance.now() - since)
      await wait(Math.max(0, leftMs), undefined, { signal })
      await beforeRetry?.(error)
    }
  }
}

function isRefusedForNumber(error: unknown): boolean {
  return error instanceof ApiFailure && error.problem.status === 429
}

function delayBefore(attempt: number): number {
  return delaysMs[attempt] ?? Math.min(2000 * 2 ** (attempt - delaysMs.length + 1), longestMs)
}

function passes(error: unknown, isRepeatable: boolean): error is Failure {
  if (error instanceof Error && spent.has(error)) return false
  if (error instanceof NoAnswer) return isRepeatable
  if (!(error instanceof ApiFailure)) return false
  const { status, code } = error.problem
  // A failed store does not recover by itself.
  if (code === 'storage_degraded' || error.retryAfterSeconds > maxWaitSeconds) return false
  return refusedBefore.has(status) || (isRepeatable && failedBetween.has(status))
}

/** With jitter, because other clients were refused at the same time. */
function patienceMs(error: unknown, delayMs: number): number {
  const asked = error instanceof ApiFailure ? error.retryAfterSeconds * 1000 : 0
  return asked + delayMs * (0.5 + Math.random())
}
