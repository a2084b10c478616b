import type { DueTime } from '../ports/upkeep.ts'

/**
 * What is due `againMs` after it was read. The reading is remembered with the same `now`, whatever
 * the clock says by then: so what was read is due no more, and no clock lets it be read for ever.
 */
export function dueAt(now: string, againMs: number): DueTime {
  return { now, before: new Date(Date.parse(now) - againMs).toISOString() }
}
