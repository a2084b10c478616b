/**
 * The time of day, as ISO 8601 text in UTC with milliseconds. Clocks of machines are wrong at times,
 * and then set: so there is one answer for what is written down, one for what ends, and one for what
 * is removed. As long as the clock is not set, all three are the same.
 */
export interface Clock {
  /** The machine's time, for what is written down: earlier than before where it was set back. */
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

/** @param time ISO 8601, UTC */
export function later(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString()
}

/** The sources of a clock, in milliseconds. */
export interface TimeSources {
  /** Since 1970, as the machine's clock says, which may be set. */
  readonly wall: () => number
  /** Since some moment; it cannot be set, and may stand still while the machine sleeps. */
  readonly count: () => number
}

/** A leap that is shorter is none: clocks are set right by seconds, and machines sleep for a moment. */
const leapMs = 60_000

/** Least duration of a leap. Shorter than the hour between two sweeps: the second one accepts it. */
const lastsMs = 50 * 60_000

/** A clock that watches, whenever it is read, how far the wall is ahead of the count. */
export function clockOf({ wall, count }: TimeSources): Clock {
  const begun = wall() - count()
  const ahead = { furthest: begun, settled: begun }
  let leaptAt: number | undefined

  const read = (): { readonly wallMs: number; readonly countMs: number } => {
    const [wallMs, countMs] = [wall(), count()]
    const current = wallMs - countMs
    ahead.furthest = Math.max(ahead.furthest, current)
    const hasLeapt = current - ahead.settled > leapMs
    if (hasLeapt) leaptAt ??= countMs
    if (leaptAt === undefined || !hasLeapt || countMs - leaptAt >= lastsMs) {
      leaptAt = undefined
      ahead.settled = current
    }
    return { wallMs, countMs }
  }

  const [now, forward, settled] = [textMaker(), textMaker(), textMaker()]
  return {
    now: () => now(read().wallMs),
    forward: () => forward(read().countMs + ahead.furthest),
    settled: () => settled(read().countMs + ahead.settled),
  }
}

/** Makes a text for each millisecond, once: each request asks for the time some times. */
function textMaker(): (ms: number) => string {
  let last = { ms: Number.NaN, text: '' }
  return (time) => {
    const ms = Math.round(time)
    if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
    return last.text
  }
}

export const systemClock: Clock = clockOf({ wall: Date.now, count: () => performance.now() })
