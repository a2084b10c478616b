/** The time of day, as ISO 8601 text in UTC with milliseconds. */
export interface Clock {
  readonly now: () => string
}

export const systemClock: Clock = { now: () => new Date().toISOString() }

/** `now`, or `earlier` where the clock went back: so `updated` of one deposit never decreases. */
export function notBefore(earlier: string, now: string): string {
  return now < earlier ? earlier : now
}
