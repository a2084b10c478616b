import { describe, expect, it } from 'vitest'
import type { Conflict } from '../../core/errors/errors.ts'
import { ownField, type Json, type JsonObject } from '../../core/base/json.ts'
import { parseJson } from '../../core/json/json-text.ts'
import { pieceSize } from '../../core/base/turns.ts'
import { merge as mergeInPieces } from '../../core/record/merge.ts'
import { merge } from '../support/merge-at-once.ts'

function merged(base: JsonObject, ours: JsonObject, theirs: JsonObject): JsonObject {
  const result = merge(base, ours, theirs)
  if ('conflicts' in result) throw new Error(`conflicts: ${JSON.stringify(result.conflicts)}`)
  return result.merged
}

function conflicts(
  base: JsonObject,
  ours: JsonObject,
  theirs: JsonObject,
): readonly Omit<Conflict, 'message'>[] {
  const result = merge(base, ours, theirs)
  if ('merged' in result) throw new Error(`merged: ${JSON.stringify(result.merged)}`)
  return result.conflicts.map(({ message: _message, ...sides }) => sides)
}

const mergedField = (base: Json, ours: Json, theirs: Json) =>
  merged({ x: base }, { x: ours }, { x: theirs })['x']

const conflictingFields = (base: Json, ours: Json, theirs: Json) =>
  conflicts({ x: base }, { x: ours }, { x: theirs }).map(({ field }) => field)

describe('merging fields', () => {
  it('takes a change of either side', () => {
    expect(merged({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 })).toEqual({ a: 2, b: 2 })
  })

  it('takes additions and removals of both sides', () => {
    expect(merged({ a: 1, b: 1 }, { b: 1, c: 1 }, { a: 1, d: 1 })).toEqual({ c: 1, d: 1 })
  })

  it('reports base, ours and theirs of a field that both sides changed differently', () => {
    expect(conflicts({ title: 'a' }, { title: 'b' }, { title: 'c' })).toEqual([
      { field: '/title', base: 'a', ours: 'b', theirs: 'c' },
    ])
  })

  it('leaves out the side that has no value', () => {
    expect(conflicts({ a: 1 }, {}, { a: 2 })).toEqual([{ field: '/a', base: 1, theirs: 2 }])
    expect(conflicts({ a: 1 }, { a: 2 }, {})).toEqual([{ field: '/a', base: 1, ours: 2 }])
    expect(conflicts({}, { a: 1 }, { a: 2 })).toEqual([{ field: '/a', ours: 1, theirs: 2 }])
  })

  it('merges objects that both sides added', () => {
    expect(merged({}, { a: { b: 1 } }, { a: { c: 1 } })).toEqual({ a: { b: 1, c: 1 } })
  })

  it('names every conflict at once, with escaped pointers', () => {
    const found = conflicts({ 'a/b': 1, c: { '~': 1 } }, { 'a/b': 2, c: { '~': 2 } }, { c: {} })
    expect(found.map(({ field }) => field)).toEqual(['/a~1b', '/c/~0'])
  })

  it('does not merge texts by lines', () => {
    expect(conflictingFields('one\ntwo', 'ONE\ntwo', 'one\nTWO')).toEqual(['/x'])
  })

  it('treats names that objects inherit as plain fields', () => {
    const ours = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as JsonObject
    const result = merged({}, ours, { toString: 3 })
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":1},"constructor":2,"toString":3}')
    expect(ownField({}, 'polluted') ?? Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('merges documents of the greatest depth that the service accepts', () => {
    const nest = (leaf: string) =>
      parseJson(`${'{"a":'.repeat(63)}{${leaf}}${'}'.repeat(63)}`) as JsonObject
    expect(merged(nest('"b":1'), nest('"b":2'), nest('"b":1,"c":1'))).toEqual(nest('"b":2,"c":1'))
  })
})

describe('merging lists of keywords', () => {
  it.each<[string, string[], string[], string[], string[]]>([
    ['both add', ['a'], ['a', 'b'], ['a', 'c'], ['a', 'b', 'c']],
    ['both add the same', ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c']],
    ['one removes, the other adds', ['a', 'b'], ['b'], ['a', 'b', 'c'], ['b', 'c']],
    ['both replace the same one', ['a', 'b'], ['x', 'b'], ['y', 'b'], ['x', 'y', 'b']],
    ['one sorts, the other adds', ['b', 'a'], ['a', 'b'], ['b', 'x', 'a'], ['a', 'b', 'x']],
    [
      'both sort in the same way',
      ['c', 'b', 'a'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
    ['one doubles, the other adds', ['a'], ['a', 'a'], ['a', 'b'], ['a', 'a', 'b']],
    ['both start one', [], ['a'], ['b'], ['a', 'b']],
  ])('%s', (_name, base, ours, theirs, expected) => {
    expect(mergedField(base, ours, theirs)).toEqual(expected)
    expect(mergedField(base, theirs, ours)).toEqual(expected)
  })

  it('merges lists that both sides added', () => {
    expect(merged({}, { x: ['a'] }, { x: ['b'] })).toEqual({ x: ['a', 'b'] })
  })

  it('finds a conflict when both sides change the order differently', () => {
    const base = ['a', 'b', 'c']
    expect(conflictingFields(base, ['b', 'a', 'c'], ['a', 'c', 'b'])).toEqual(['/x'])
  })

  it('matches numbers by position while lengths are equal', () => {
    expect(mergedField([1, 2], [9, 2], [1, 8])).toEqual([9, 8])
    expect(conflictingFields([1, 2], [9, 2], [8, 2])).toEqual(['/x/0'])
    expect(mergedField([2019], [2019, 2020], [2018, 2019])).toEqual([2018, 2019, 2020])
  })
})

describe('merging lists of objects', () => {
  const ada = { name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' }
  const bob = { name: 'Bob' }

  it('merges one element that both sides changed', () => {
    const base = [ada, bob]
    const ours = [{ ...ada, affiliation: ['London'] }, bob]
    const theirs = [{ ...ada, name: 'Ada King' }, bob]
    expect(mergedField(base, ours, theirs)).toEqual([
      { ...ada, name: 'Ada King', affiliation: ['London'] },
      bob,
    ])
  })

  it('names the field within the element in a conflict', () => {
    const base = [bob, ada]
    const ours = [bob, { ...ada, name: 'A' }]
    const theirs = [bob, { ...ada, name: 'B' }]
    expect(conflictingFields(base, ours, theirs)).toEqual(['/x/1/name'])
  })

  it('numbers the elements of a conflict as in the base', () => {
    const ours = [{ name: 'New' }, { ...ada, name: 'A' }]
    expect(conflictingFields([ada], ours, [{ ...ada, name: 'B' }])).toEqual(['/x/0/name'])
  })

  it('recognises an element after a change of order', () => {
    const theirs = [ada, { ...bob, affiliation: ['Paris'] }]
    expect(mergedField([ada, bob], [bob, ada], theirs)).toEqual([
      { ...bob, affiliation: ['Paris'] },
      ada,
    ])
  })

  it('finds a conflict when one side removes an element that the other changed', () => {
    const changed = { ...bob, affiliation: ['Paris'] }
    expect(conflicts({ x: [ada, bob] }, { x: [ada] }, { x: [ada, changed] })).toEqual([
      { field: '/x/1', base: bob, theirs: changed },
    ])
  })

  it('finds a conflict, and mixes nothing, when one side replaces a person', () => {
    const changed = { ...bob, affiliation: ['Paris'] }
    expect(conflictingFields([bob], [{ name: 'Eve' }], [changed])).toEqual(['/x/0'])
  })

  it('keeps the elements that both sides added, and merges an element added by both', () => {
    const eve = { name: 'Eve' }
    expect(mergedField([ada], [ada, bob, eve], [ada, { ...bob, orcid: 'o' }])).toEqual([
      ada,
      { ...bob, orcid: 'o' },
      eve,
    ])
  })

  it('matches elements without an identity by position while lengths are equal', () => {
    const base = [{ a: 1, b: 1 }, { c: 1 }]
    const merge = mergedField(base, [{ a: 2, b: 1 }, { c: 1 }], [{ a: 1, b: 2 }, { c: 1 }])
    expect(merge).toEqual([{ a: 2, b: 2 }, { c: 1 }])
    expect(conflictingFields(base, [{ a: 2 }, { c: 1 }], [{ c: 1 }])).toEqual(['/x/0'])
  })

  it('keeps arrays within arrays, and null, unchanged', () => {
    const base = [[1, 2], [3, 4], null]
    expect(mergedField(base, [...base, { x: 1 }], ['y', ...base])).toEqual(['y', ...base, { x: 1 }])
  })

  it('merges lists of 100,000 keywords', () => {
    const words = (prefix: string) => Array.from({ length: 100_000 }, (_, index) => prefix + index)
    const base = words('b')
    const both = mergedField(base, [...base, ...words('o')], [...words('t'), ...base.slice(1)])
    expect(both).toEqual([...words('t'), ...base.slice(1), ...words('o')])
  })

  it('lets other work run while it merges long lists', async () => {
    const people = (x: number) =>
      Array.from({ length: 30_000 }, (_, index) => ({ name: `n${index % 100}`, [`x${x}`]: index }))
    const steps = mergeInPieces({ a: people(0) }, { a: people(1) }, { a: people(2) })
    let pieces = 0
    while (!steps.next().done) pieces += 1
    expect(pieces).toBeGreaterThan(3 * (30_000 / pieceSize) - 3)
  })

  it('does not guess which of two people of the same name a third one is', () => {
    const base = [
      { name: 'Smith', a: 1 },
      { name: 'Smith', a: 2 },
    ]
    const theirs = [
      { name: 'Smith', a: 1, b: 1 },
      { name: 'Smith', a: 2 },
    ]
    expect(conflictingFields(base, [{ name: 'Smith', a: 9 }], theirs)).toEqual(['/x/0'])
  })

  it('keeps two relations to the same object apart', () => {
    const cites = { identifier: 'doi', relation: 'Cites' }
    const part = { identifier: 'doi', relation: 'IsPartOf' }
    const theirs = [cites, { ...part, scheme: 'doi' }]
    expect(mergedField([cites, part], [cites, part, bob], theirs)).toEqual([...theirs, bob])
  })
})
