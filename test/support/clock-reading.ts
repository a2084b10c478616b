import type { Clock } from '../../core/ports/clock.ts'

/** A clock of a test, which is never set but by it. */
export function clockReading(now: () => string): Clock {
  return { now, forward: now, settled: now }
}
