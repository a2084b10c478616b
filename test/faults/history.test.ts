import { describe, expect, it } from 'vitest'
import { contradictions, type Event } from './clients/history.ts'

const write = (revision: number, began: number, ended: number): Event => ({
  kind: 'write',
  revision,
  value: String(revision),
  began,
  ended,
})

const read = (revision: number, began: number, ended: number, value = String(revision)): Event => ({
  kind: 'read',
  revision,
  value,
  began,
  ended,
})

describe('a history', () => {
  it('is accepted when each request can have happened between its beginning and its end', () => {
    const events = [write(1, 0, 10), write(2, 5, 8), read(1, 1, 6), read(2, 7, 20), read(2, 9, 10)]

    expect(contradictions(events)).toEqual([])
  })

  it.for([
    ['a revision that two writes made', [write(1, 0, 1), { ...write(1, 2, 3), value: 'other' }]],
    ['a value that was never written', [write(1, 0, 1), read(1, 2, 3, 'other')]],
    ['an old value that is read after a new one', [write(1, 0, 1), read(2, 2, 3), read(1, 4, 5)]],
    ['a value that is read before it is written', [read(1, 0, 1), write(1, 2, 3)]],
    ['a write in the past of another one', [write(2, 0, 1), write(1, 2, 3)]],
    ['a write on condition of an old revision', [{ ...write(5, 0, 1), expected: 3 }]],
  ] as const)('cannot have %s', ([, events]) => {
    expect(contradictions(events)).toHaveLength(1)
  })
})
