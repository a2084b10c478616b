/**
 * The time of day, as ISO 8601 text in UTC with milliseconds. Clocks of machines are wrong at times,
 * and then set: so there is one answer for what is written down, one for what ends, and one for what
 * is removed. While nobody sets the clock, all three are the same.
 */
export interface Clock {
  /** What the machine says, for what is written down: earlier than before where it was set back. */
  readonly now: () => string
  /** For what is good until a time: it never goes back, nor stands still. */
  readonly forward: () => string
  /** For what is removed for its age: a leap of the clock counts once it has lasted. */
  readonly settled: () => string
}

/** `now`, or `earlier` where the clock went back: so `updated` of one deposit never decreases. */
export function notBefore(earlier: string, now: string): string {
  return now < earlier ? earlier : now
}
