import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { Json } from '../../core/base/json.ts'

describe('the canonical text of a value', () => {
  it('follows RFC 8785', () => {
    const names = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('__proto__', 'toJSON', '', '1', '2', '10', '01', '\u{1f600}', '\uffff'),
    )
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.oneof(names, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(value, (json) => {
        expect(canonicalJson(json)).toBe(canonicalize(json))
      }),
      { numRuns: 5000, seed: 20_261_122 },
    )
  })

  it('is computed for values of any depth', () => {
    const deep = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json
    expect(canonicalJson(deep(5000))).toBe(canonicalize(deep(5000)))
  })

  it.each(['\ud800', ['\udc00'], { '\ud800': 1 }, NaN, [Infinity]])('is refused for %j', (json) => {
    expect(() => canonicalJson(json)).toThrow('not allowed')
  })
})
