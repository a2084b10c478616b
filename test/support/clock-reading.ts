import type { Clock } from '../../core/ports/clock.ts'

/** A clock that only the test sets. */
export function clockReading(now: () => string): Clock {
  return { now, forward: now, settled: now }
}
