import { describe, expect, it } from 'vitest'
import { clockOf } from '../../core/ports/clock.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A clock, a function that lets time pass, and one that sets the clock of the machine. */
function settableClock(start = '2026-11-21T12:00:00.000Z') {
  const time = { wall: Date.parse(start), count: 1234.5 }
  const clock = clockOf({ wall: () => time.wall, count: () => time.count })
  const pass = (ms: number): void => {
    time.wall += ms
    time.count += ms
  }
  const set = (byMs: number): void => {
    time.wall += byMs
  }
  const readings = () => [clock.now(), clock.forward(), clock.settled()]
  return { clock, pass, set, readings }
}

describe('A clock that is not set', () => {
  it('gives the same time in all its readings', () => {
    const { pass, readings } = settableClock()

    pass(hour + 1)

    expect(new Set(readings())).toEqual(new Set(['2026-11-21T13:00:00.001Z']))
  })
})

describe('A clock that is set back', () => {
  it('shows the new time for what is written down, and counts on for deadlines', () => {
    const { clock, pass, set } = settableClock()

    set(-day)
    expect(clock.now()).toBe('2026-11-20T12:00:00.000Z')
    expect(clock.forward()).toBe('2026-11-21T12:00:00.000Z')
    pass(hour)

    expect(clock.forward()).toBe('2026-11-21T13:00:00.000Z')
    expect(clock.settled()).toBe('2026-11-20T13:00:00.000Z')
  })

  it('counts deadlines from the latest time it has shown', () => {
    const { clock, pass, set } = settableClock()
    set(day)
    clock.now()

    set(-2 * day)
    pass(minute)

    expect(clock.now()).toBe('2026-11-20T12:01:00.000Z')
    expect(clock.forward()).toBe('2026-11-22T12:01:00.000Z')
  })

  it('never stands still for deadlines', () => {
    const { clock, pass, set } = settableClock()
    const seen = ['']
    for (const step of [day, -day, -day, 3 * day, -hour, -1]) {
      set(step)
      pass(1)
      seen.push(clock.forward())
    }

    expect(seen.toSorted()).toEqual(seen)
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('A clock that leaps forward', () => {
  it('lets nothing expire until the new time has lasted', () => {
    const { clock, pass, set } = settableClock()

    set(12 * 365 * day)
    expect(clock.settled()).toBe('2026-11-21T12:00:00.000Z')
    pass(minute)
    expect(clock.settled()).toBe('2026-11-21T12:01:00.000Z')

    set(-12 * 365 * day)
    pass(hour)
    expect(clock.settled()).toBe('2026-11-21T13:01:00.000Z')
  })

  it('is believed by the second of two sweeps an hour apart', () => {
    const { clock, pass, set } = settableClock()
    set(day)
    clock.settled()

    pass(hour)

    expect(clock.settled()).toBe('2026-11-22T13:00:00.000Z')
  })

  it('counts the duration from the start when it leaps again', () => {
    const { clock, pass, set } = settableClock()
    set(day)
    clock.settled()
    set(-day)
    clock.settled()
    pass(hour)

    set(day)

    expect(clock.settled()).toBe('2026-11-21T13:00:00.000Z')
  })

  it('is believed at once when it is set by seconds', () => {
    const { clock, set } = settableClock()

    set(30_000)

    expect(clock.settled()).toBe('2026-11-21T12:00:30.000Z')
  })
})
