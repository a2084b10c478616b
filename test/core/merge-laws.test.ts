import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { Conflict } from '../../core/errors/errors.ts'
import {
  isJsonObject,
  ownField,
  childPointer,
  type Json,
  type JsonObject,
} from '../../core/base/json.ts'
import { mergeFields } from '../../daemon/pages/text/field-merge.ts'
import { merge } from '../support/merge-at-once.ts'

/** The full run is `npm run test:faults -- merge-laws`: 100,000 cases. */
const runs = { numRuns: Number(process.env['DEPOSIT_TEST_RUNS'] ?? 3000), seed: 20_261_120 }

// The full run takes a minute for each law, and several on a busy machine.
vi.setConfig({ testTimeout: 1_800_000 })

function merged(base: JsonObject, ours: JsonObject, theirs: JsonObject): JsonObject {
  const result = merge(base, ours, theirs)
  if ('conflicts' in result) throw new Error(`conflicts: ${JSON.stringify(result.conflicts)}`)
  return result.merged
}

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

  it('gives the same result when the sides are swapped', () => {
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

  it('keeps the value of the only side that changed a field', () => {
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

  it('finds a conflict exactly where both sides changed the same path differently', () => {
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

  it('loses no array within an array', () => {
    const rows = fc.uniqueArray(fc.tuple(word, fc.nat(3)), {
      maxLength: 5,
      selector: canonicalJson,
    })
    const holds = (base: Json, ours: Json, theirs: Json): void => {
      const result = merge({ x: base }, { x: ours }, { x: theirs })
      if ('conflicts' in result) return
      const values = result.merged['x'] as readonly Json[]
      for (const row of values) expect(row).toHaveLength(2)
    }
    fc.assert(fc.property(rows, rows, rows, holds), runs)
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

/** A second implementation of "the same path", for trees without arrays. */
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

describe('the merge of the pages', () => {
  const scalar = fc.oneof(fc.constantFrom('a', 'b'), fc.boolean(), fc.constantFrom(0, 1))
  const flat = fc.dictionary(fc.constantFrom('title', 'notes', '__proto__', 'a/b'), scalar)

  it('agrees with the merge of the service where a field is merged as a whole', () => {
    fc.assert(
      fc.property(flat, flat, flat, (base, mine, theirs) => {
        const found = mergeFields(base, mine, theirs)
        const result = merge(base, mine, theirs)
        const conflicts = 'conflicts' in result ? result.conflicts : []
        const document = 'merged' in result ? result.merged : result.keepingOurs
        expect(canonicalJson(found.merged)).toBe(canonicalJson(document))
        expect(found.conflicts.map(({ field }) => childPointer('', field)).toSorted()).toEqual(
          conflicts.map(({ field }) => field).toSorted(),
        )
      }),
      runs,
    )
  })
})
