import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import library from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { applyPatch, patchDocument } from '../../core/deposit/json-patch.ts'
import { isProblem } from '../../core/errors/errors.ts'
import type { Json, JsonObject } from '../../core/base/json.ts'

const deposit = { title: 'a', keywords: ['x', 'y'], _deposit: { id: '1', owners: ['ada'] } }

/** The faulty operation, as a pointer into the patch; '' for the whole patch. */
function faultyOperation(document: Json, patch: Json): string | undefined {
  try {
    applyPatch(document, patch, ['_deposit'])
  } catch (error) {
    if (isProblem(error, 'invalid_patch')) return error.faults[0]?.field
    throw error
  }
  return undefined
}

describe('patching a document', () => {
  it.each<[string, Json, Json, Json]>([
    ['adds a field', {}, [{ op: 'add', path: '/a', value: 1 }], { a: 1 }],
    ['adds null', {}, [{ op: 'add', path: '/a', value: null }], { a: null }],
    ['inserts', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['removes', { a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    ['replaces', { a: 1 }, [{ op: 'replace', path: '/a', value: [] }], { a: [] }],
    ['replaces all', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    ['moves', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    ['moves in a list', { a: [1, 2] }, [{ op: 'move', from: '/a/0', path: '/a/1' }], { a: [2, 1] }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    [
      'tests in any order of fields',
      { a: { b: 1, c: 2 } },
      [{ op: 'test', path: '/a', value: { c: 2, b: 1 } }],
      { a: { b: 1, c: 2 } },
    ],
    ['reads escaped pointers', { 'a/~': 1 }, [{ op: 'remove', path: '/a~1~0' }], {}],
    ['knows fields of empty name', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    ['ignores members it does not know', {}, [{ op: 'add', path: '/a', value: 1, x: 1 }], { a: 1 }],
  ])('%s', (_name, document, patch, expected) => {
    expect(applyPatch(document, patch)).toEqual(expected)
  })

  it.each<[string, Json]>([
    ['a path that does not exist', { op: 'remove', path: '/b' }],
    ['a path through nothing', { op: 'add', path: '/b/c', value: 1 }],
    ['a path through a scalar', { op: 'add', path: '/title/c', value: 1 }],
    ['an inherited property', { op: 'remove', path: '/toString' }],
    ['an inherited property of lists', { op: 'test', path: '/keywords/length', value: 2 }],
    ['an index with leading zeros', { op: 'replace', path: '/keywords/00', value: 1 }],
    ['an index beyond the end', { op: 'add', path: '/keywords/3', value: 1 }],
    ['an index that wraps around', { op: 'add', path: '/keywords/4294967295', value: 1 }],
    ['the end of a list that is none', { op: 'add', path: '/-', value: 1 }],
    ['the element behind the last', { op: 'remove', path: '/keywords/-' }],
    ['a pointer without slash', { op: 'remove', path: 'title' }],
    ['a pointer that is no text', { op: 'remove', path: 1 }],
    ['a broken escape', { op: 'remove', path: '/~2' }],
    ['__proto__', { op: 'add', path: '/__proto__/x', value: 1 }],
    ['constructor', { op: 'add', path: '/constructor', value: 1 }],
    ['prototype', { op: 'add', path: '/a/prototype', value: 1 }],
    ['the removal of everything', { op: 'remove', path: '' }],
    ['a move into itself', { op: 'move', from: '/keywords', path: '/keywords/0' }],
    ['an unknown operation', { op: 'merge', path: '/title', value: 1 }],
    ['an operation named like an inherited property', { op: 'toString', path: '/title' }],
    ['an operation that is no text', { op: ['add'], path: '/a', value: 1 }],
    ['a missing value', { op: 'add', path: '/a' }],
    ['a missing origin', { op: 'copy', path: '/a' }],
    ['something that is no operation', null],
    ['a test that fails', { op: 'test', path: '/title', value: 'b' }],
    ['a change of _deposit', { op: 'replace', path: '/_deposit', value: {} }],
    ['a change below _deposit', { op: 'add', path: '/_deposit/owners/-', value: 'eve' }],
    ['moving out of _deposit', { op: 'move', from: '/_deposit/id', path: '/id' }],
    ['copying into _deposit', { op: 'copy', from: '/title', path: '/_deposit/id' }],
  ])('refuses %s', (_name, operation) => {
    const harmless = { op: 'test', path: '/title', value: 'a' }
    expect(faultyOperation(deposit, [harmless, operation])).toBe('/1')
  })

  it('takes _deposit in tests and copies', () => {
    const patch = [
      { op: 'test', path: '/_deposit/id', value: '1' },
      { op: 'copy', from: '/_deposit/id', path: '/id' },
    ]
    expect(patchDocument(deposit, patch)).toEqual({ ...deposit, id: '1' })
  })

  it('keeps _deposit when the whole document is replaced', () => {
    const forged = { b: 1, _deposit: { id: '2' } }
    const patch = [{ op: 'replace', path: '', value: forged }]
    expect(patchDocument(deposit, patch)).toEqual({ b: 1, _deposit: deposit._deposit })
  })

  it('refuses to make a deposit anything but an object', () => {
    expect(() => patchDocument({}, [{ op: 'add', path: '', value: [] }])).toThrow(
      expect.objectContaining({ code: 'invalid_patch' }),
    )
  })

  it.each<Json>([{}, null, 'x', { op: 'add', path: '/a', value: 1 }])('refuses %j', (patch) => {
    expect(faultyOperation({}, patch)).toBe('')
  })

  it('changes neither the document nor the patch, whether it succeeds or not', () => {
    const document = { a: { b: [1] } } satisfies JsonObject
    const patch = [
      { op: 'add', path: '/c', value: { d: [] } },
      { op: 'add', path: '/c/d/-', value: 1 },
      { op: 'add', path: '/a/b/-', value: 2 },
    ]
    const before = JSON.stringify([document, patch])
    expect(applyPatch(document, patch)).toEqual({ a: { b: [1, 2] }, c: { d: [1] } })
    expect(faultyOperation(document, [...patch, { op: 'remove', path: '/x' }])).toBe('/3')
    expect(JSON.stringify([document, patch])).toBe(before)
  })

  it('makes a copy independent of its source', () => {
    const patch = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/-', value: 1 },
    ]
    expect(applyPatch({ a: [] }, patch)).toEqual({ a: [], b: [1] })
  })
})

describe('any patch', () => {
  const token = fc.constantFrom('a', 'b', '0', '1', '2')
  const path = fc
    .tuple(fc.array(token, { maxLength: 2 }), fc.oneof(token, fc.constant('-')))
    .map(([parents, last]) => `/${[...parents, last].join('/')}`)
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(null, 0, 1, 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  }))
  const operation = fc.oneof(
    fc.record({
      op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const),
      path,
      value,
    }),
    fc.record({ op: fc.constant('remove' as const), path }),
    fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), from: path, path }),
  )

  // Refused patches are not compared: the library removes fields of numbers without an error.
  it('has the same result as with a library when it is applied', () => {
    const patches = fc.array(operation, { minLength: 1, maxLength: 4 })
    const property = fc.property(value, patches, (document, patch) => {
      if (faultyOperation(document, patch) !== undefined) return
      const [copy, operations] = structuredClone([document, patch] as const)
      const expected: unknown = library.applyPatch(copy, operations, true).newDocument
      expect(applyPatch(document, patch)).toEqual(expected)
    })
    fc.assert(property, { numRuns: 3000 })
  })
})

describe('the limits of a patch', () => {
  const repeated = (count: number, operation: (index: number) => Json) =>
    Array.from({ length: count }, (_, index) => operation(index))

  it('takes 100 operations and refuses 101', () => {
    const add = (index: number) => ({ op: 'add', path: `/k${index}`, value: index })
    expect(faultyOperation({}, repeated(100, add))).toBeUndefined()
    expect(faultyOperation({}, repeated(101, add))).toBe('/100')
  })

  it('stops copies that double the document', () => {
    const bomb = repeated(30, (index) => ({ op: 'copy', from: '', path: `/k${index}` }))
    expect(faultyOperation({ a: 'x'.repeat(100) }, bomb)).toBe('/13')
  })

  it('stops copies that are removed again', () => {
    const churn = repeated(20, () => ({ op: 'copy', from: '/a', path: '/b' }))
    expect(faultyOperation({ a: 'x'.repeat(200_000) }, churn)).toBe('/5')
  })

  it('replaces most of a large document with something as large', () => {
    const patch = [{ op: 'replace', path: '/a', value: 'y'.repeat(900_000) }]
    expect(faultyOperation({ a: 'x'.repeat(900_000) }, patch)).toBeUndefined()
  })

  it('refuses a document larger than 1 MiB, counting field names', () => {
    const add = (index: number) => ({ op: 'add', path: `/${index}${'k'.repeat(90_000)}`, value: 1 })
    expect(faultyOperation({}, repeated(11, add))).toBeUndefined()
    expect(faultyOperation({}, repeated(12, add))).toBe('')
    expect(
      faultyOperation({ a: 'x'.repeat(1_000_000) }, [
        { op: 'add', path: '/b', value: 'x'.repeat(60_000) },
      ]),
    ).toBe('/0')
  })

  it('lets a document of more than 50,000 objects and arrays lose some, and get no more', () => {
    const before = { a: Array.from({ length: 50_010 }, () => ({})), b: {} }
    const [less, more] = [
      { op: 'remove', path: '/b' },
      { op: 'add', path: '/c', value: {} },
    ]
    expect(faultyOperation(before, [less])).toBeUndefined()
    expect(faultyOperation(before, [more])).toBe('')
    expect(faultyOperation(before, [{ op: 'replace', path: '/b', value: {} }])).toBe('')
  })

  it('changes a copied value, and a value of the patch, in one place alone', () => {
    const document = { a: { list: [1, { deep: 'x' }] } }
    const added = { z: [] }
    const patch = [
      { op: 'add', path: '/a/list/-', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path: '/a/list/1/deep', value: 'y' },
      { op: 'copy', from: '/a/list', path: '/a/list/0' },
      { op: 'add', path: '/b/list/-', value: added },
      { op: 'add', path: '/b/list/3/z/-', value: 3 },
      { op: 'move', from: '/b/list/3', path: '/c' },
      { op: 'copy', from: '/c', path: '/b/list/1/deep' },
      { op: 'add', path: '/c/z/0', value: 4 },
    ]
    expect(applyPatch(document, patch)).toEqual({
      a: { list: [[1, { deep: 'y' }, 2], 1, { deep: 'y' }, 2] },
      b: { list: [1, { deep: { z: [3] } }, 2] },
      c: { z: [4, 3] },
    })
    expect([document, added]).toEqual([{ a: { list: [1, { deep: 'x' }] } }, { z: [] }])
  })

  it('refuses a document deeper than 64 levels', () => {
    const deepen = repeated(100, () => ({ op: 'copy', from: '/a', path: '/a/a' }))
    expect(faultyOperation({ a: {} }, deepen)).toBe('/62')
  })
})

interface PublishedCase {
  readonly comment?: string
  readonly doc: Json
  readonly patch: Json
  readonly expected?: Json
  readonly error?: string
  readonly disabled?: boolean
}

describe.each(['spec_tests', 'tests'])('the published cases of RFC 6902, %s', (name) => {
  const file = fileURLToPath(
    new URL(`../../../shared/data/json-patch-tests/${name}.json`, import.meta.url),
  )
  if (!existsSync(file)) {
    it.skip(`SKIPPED: there is no ../shared/data/json-patch-tests/${name}.json to read`)
    return
  }
  const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly PublishedCase[]
  const enabled = cases.filter(({ disabled }) => !disabled)

  it.each(enabled.map((it, index) => [index, it] as const))('case %i holds', (_index, it) => {
    if (it.error === undefined) {
      expect(applyPatch(it.doc, it.patch)).toEqual(it.expected ?? it.doc)
    } else {
      expect(faultyOperation(it.doc, it.patch)).toBeDefined()
    }
  })
})
