import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than anything takes on a busy machine that still goes on. */
export const patienceMs = 300_000

/**
 * Waits for `event`, and gives up after `ms` with an error that names it.
 *
 * @throws {Error} it did not happen in time
 */
export async function within<Result>(
  ms: number,
  what: string,
  event: Promise<Result>,
): Promise<Result> {
  const patience = new AbortController()
  const late = sleep(ms, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`waited ${ms / 1000} s in vain: ${what}`)
  })
  try {
    return await Promise.race([event, late])
  } finally {
    patience.abort()
    late.catch(() => {})
  }
}
