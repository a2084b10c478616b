import type { Clock } from './clock.ts'

/** What a clock is made of. Milliseconds. */
export interface TimeSources {
  /** Since 1970, as the machine's clock says, which may be set. */
  readonly wall: () => number
  /** Since some moment; nobody sets it, and it may stand still while the machine sleeps. */
  readonly count: () => number
}

/** A leap that is shorter is none: clocks are set right by seconds, and machines sleep for a moment. */
const leapMs = 60_000

/** How long a leap has to last. Shorter than the hour between two sweeps: the second one believes it. */
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

  return {
    now: () => toText(read().wallMs),
    forward: () => toText(read().countMs + ahead.furthest),
    settled: () => toText(read().countMs + ahead.settled),
  }
}

function toText(ms: number): string {
  return new Date(Math.round(ms)).toISOString()
}

export const systemClock: Clock = clockOf({ wall: Date.now, count: () => performance.now() })
