import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../core/canonical.ts'
import type { Conflict } from '../../core/errors.ts'
import { isJsonObject, ownField, type Json, type JsonObject } from '../../core/json.ts'
import { parseJson } from '../../core/json-text.ts'
import { childPointer } from '../../core/contract/json-pointer.ts'
import { merge } from '../../core/record/merge.ts'

/** The whole measure is `DEPOSIT_TEST_RUNS=100000`. */
const runs = { numRuns: Number(process.env['DEPOSIT_TEST_RUNS'] ?? 3000), seed: 20_261_120 }

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

  it('tells base, ours and theirs of a field that both changed differently', () => {
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

  it('makes plain fields of names that objects inherit', () => {
    const ours = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as JsonObject
    const result = merged({}, ours, { toString: 3 })
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":1},"constructor":2,"toString":3}')
    expect(ownField({}, 'polluted') ?? Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('merges documents as deep as the service takes', () => {
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
      'both sort alike',
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

  it('merges lists that neither side had', () => {
    expect(merged({}, { x: ['a'] }, { x: ['b'] })).toEqual({ x: ['a', 'b'] })
  })

  it('is a conflict when both change the order differently', () => {
    const base = ['a', 'b', 'c']
    expect(conflictingFields(base, ['b', 'a', 'c'], ['a', 'c', 'b'])).toEqual(['/x'])
  })

  it('tells numbers apart by position while lengths are equal', () => {
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

  it('counts elements of a conflict as the base does', () => {
    const ours = [{ name: 'New' }, { ...ada, name: 'A' }]
    expect(conflictingFields([ada], ours, [{ ...ada, name: 'B' }])).toEqual(['/x/0/name'])
  })

  it('follows an element through a new order', () => {
    const theirs = [ada, { ...bob, affiliation: ['Paris'] }]
    expect(mergedField([ada, bob], [bob, ada], theirs)).toEqual([
      { ...bob, affiliation: ['Paris'] },
      ada,
    ])
  })

  it('is a conflict when one side removes what the other changed', () => {
    const changed = { ...bob, affiliation: ['Paris'] }
    expect(conflicts({ x: [ada, bob] }, { x: [ada] }, { x: [ada, changed] })).toEqual([
      { field: '/x/1', base: bob, theirs: changed },
    ])
  })

  it('is a conflict, not a mixture, when one side puts another person in the place', () => {
    const changed = { ...bob, affiliation: ['Paris'] }
    expect(conflictingFields([bob], [{ name: 'Eve' }], [changed])).toEqual(['/x/0'])
  })

  it('keeps the elements both sides added, and merges the same one', () => {
    const eve = { name: 'Eve' }
    expect(mergedField([ada], [ada, bob, eve], [ada, { ...bob, orcid: 'o' }])).toEqual([
      ada,
      { ...bob, orcid: 'o' },
      eve,
    ])
  })

  it('matches by position what bears no identity, while lengths are equal', () => {
    const base = [{ a: 1, b: 1 }, { c: 1 }]
    const merge = mergedField(base, [{ a: 2, b: 1 }, { c: 1 }], [{ a: 1, b: 2 }, { c: 1 }])
    expect(merge).toEqual([{ a: 2, b: 2 }, { c: 1 }])
    expect(conflictingFields(base, [{ a: 2 }, { c: 1 }], [{ c: 1 }])).toEqual(['/x/0'])
  })

  it('does not guess which of two namesakes a third one is', () => {
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

  it('keeps two relations to the same thing apart', () => {
    const cites = { identifier: 'doi', relation: 'Cites' }
    const part = { identifier: 'doi', relation: 'IsPartOf' }
    const theirs = [cites, { ...part, scheme: 'doi' }]
    expect(mergedField([cites, part], [cites, part, bob], theirs)).toEqual([...theirs, bob])
  })
})

describe('the laws of merging', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const person = fc.record(
    { name: word, orcid: word, affiliation: fc.array(word, { maxLength: 3 }) },
    { requiredKeys: [] },
  )
  const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.oneof(word, fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constant(null)),
      fc.array(word, { maxLength: 5 }),
      fc.array(person, { maxLength: 4 }) as fc.Arbitrary<Json>,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  const names = fc.oneof(word, fc.constantFrom('__proto__', 'constructor', 'a/b', ''))
  const document = fc.dictionary(names, json, { maxKeys: 5, noNullPrototype: true })
  const three = [document, document, document] as const

  const sidesOf = ({ field, base, ours, theirs }: Conflict) => ({ field, base, ours, theirs })
  const swapped = (it: Conflict) => ({ ...sidesOf(it), ours: it.theirs, theirs: it.ours })
  const sorted = (found: readonly object[]) =>
    found.map((conflict) => canonicalJson(JSON.parse(JSON.stringify(conflict)) as Json)).toSorted()

  it('M(o, a, o) = a, M(o, o, b) = b, M(o, a, a) = a', () => {
    const holds = (base: JsonObject, side: JsonObject) => {
      expect(merged(base, side, base)).toEqual(side)
      expect(merged(base, base, side)).toEqual(side)
      expect(merged(base, side, side)).toEqual(side)
    }
    fc.assert(fc.property(document, document, holds), runs)
  })

  it('gives the same when the sides are swapped', () => {
    const holds = (base: JsonObject, ours: JsonObject, theirs: JsonObject) => {
      const one = merge(base, ours, theirs)
      const other = merge(base, theirs, ours)
      if ('merged' in one) {
        expect('merged' in other && canonicalJson(other.merged)).toBe(canonicalJson(one.merged))
      } else {
        const found = 'conflicts' in other ? other.conflicts : []
        expect(sorted(found.map(swapped))).toEqual(sorted(one.conflicts.map(sidesOf)))
      }
    }
    fc.assert(fc.property(...three, holds), runs)
  })

  it('keeps of a field the side that alone changed it', () => {
    const holds = (base: JsonObject, ours: JsonObject, theirs: JsonObject) => {
      const result = merge(base, ours, theirs)
      const fields = new Set([base, ours, theirs].flatMap((side) => Object.keys(side)))
      const text = (side: JsonObject, field: string) =>
        Object.hasOwn(side, field) ? canonicalJson(ownField(side, field) ?? null) : undefined
      for (const field of fields) {
        const [inBase, inOurs, inTheirs] = [base, ours, theirs].map((side) => text(side, field))
        if (inOurs !== inBase && inTheirs !== inBase) continue
        if ('merged' in result) {
          expect(text(result.merged, field)).toBe(inOurs === inBase ? inTheirs : inOurs)
        } else {
          const at = childPointer('', field)
          const within = result.conflicts.filter((it) => `${it.field}/`.startsWith(`${at}/`))
          expect(within).toEqual([])
        }
      }
    }
    fc.assert(fc.property(...three, holds), runs)
  })

  it('is a conflict exactly where both sides changed the same path differently', () => {
    const { tree } = fc.letrec<{ tree: JsonObject }>((tie) => ({
      tree: fc.dictionary(word, fc.oneof({ maxDepth: 3 }, word, tie('tree')), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    }))
    const holds = (base: JsonObject, ours: JsonObject, theirs: JsonObject) => {
      const result = merge(base, ours, theirs)
      const found = 'conflicts' in result ? result.conflicts.map(({ field }) => field) : []
      expect(found.toSorted()).toEqual([...clashes('', base, ours, theirs)].toSorted())
    }
    fc.assert(fc.property(tree, tree, tree, holds), runs)
  })

  it('loses no element of an array', () => {
    const words = fc.array(word, { maxLength: 6 })
    const count = (list: readonly string[], it: string) =>
      list.filter((other) => other === it).length
    const holds = (base: string[], ours: string[], theirs: string[]) => {
      const result = merge({ x: base }, { x: ours }, { x: theirs })
      if ('conflicts' in result) return
      const list = result.merged['x'] as readonly string[]
      for (const it of ['a', 'b', 'c', 'd', 'e']) {
        const [inBase, inOurs, inTheirs] = [count(base, it), count(ours, it), count(theirs, it)]
        const kept = Math.min(inBase, inOurs, inTheirs)
        const added = Math.max(0, inOurs - inBase, inTheirs - inBase)
        expect(count(list, it)).toBe(kept + added)
      }
    }
    fc.assert(fc.property(words, words, words, holds), runs)
  })

  it('loses no element of a list of people', () => {
    const key = fc.constantFrom('p', 'q', 'r', 's')
    const people = fc.uniqueArray(fc.record({ orcid: key, name: word }), {
      selector: ({ orcid }) => orcid,
      maxLength: 4,
    })
    type Person = { orcid: string; name: string }
    const find = (list: readonly Person[], orcid: string) => list.find((it) => it.orcid === orcid)
    const holds = (base: Person[], ours: Person[], theirs: Person[]) => {
      const result = merge({ x: base }, { x: ours }, { x: theirs })
      if ('conflicts' in result) return
      const list = result.merged['x'] as readonly Person[]
      for (const { orcid } of [...ours, ...theirs]) {
        const isRemoved = find(base, orcid) && !(find(ours, orcid) && find(theirs, orcid))
        if (!isRemoved) expect(list.map((it) => it.orcid)).toContain(orcid)
      }
    }
    fc.assert(fc.property(people, people, people, holds), runs)
  })
})

/** Another reading of "the same path", for trees without arrays. */
function* clashes(at: string, base?: Json, ours?: Json, theirs?: Json): Generator<string> {
  const text = (side?: Json) => (side === undefined ? 'absent' : canonicalJson(side))
  if (text(ours) === text(theirs)) return
  if (text(base) === text(ours) || text(base) === text(theirs)) return
  const areObjects = isJsonObject(ours) && isJsonObject(theirs) && typeof base !== 'string'
  if (!areObjects) {
    yield at
    return
  }
  const before = isJsonObject(base) ? base : {}
  for (const field of new Set([before, ours, theirs].flatMap((side) => Object.keys(side)))) {
    const within = childPointer(at, field)
    yield* clashes(within, ownField(before, field), ownField(ours, field), ownField(theirs, field))
  }
}
