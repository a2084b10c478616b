import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isProblem } from '../../core/errors/errors.ts'
import { parseInPieces, parseJson } from '../../core/json/json-text.ts'

function refusal(text: string): unknown {
  try {
    parseJson(text)
  } catch (error) {
    if (isProblem(error, 'malformed_json')) return error.faults[0]
    throw error
  }
  return 'taken'
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('reading JSON', () => {
  it.each([
    '{"a":1,"b":{"a":2}}',
    '[{"a":1},{"a":1}]',
    '"\\ud83d\\ude00"',
    '"a\\\\"',
    '["\\"",{"\\\\":"]}"}]',
    '[0,-1,0.5,-0.5,1e3,1E-3,9007199254740991,-9007199254740991]',
    '{"constructor":1,"prototype":{},"toString":null}',
    '{"constructor":[],"x":{"prototype":1}}',
    ' [ true , false , null ] ',
    '{"":""}',
  ])('takes %s', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it.each<[string, string, number, string]>([
    ['a field named twice', '{"a":1,"a":1}', 7, '/a'],
    ['a field named twice in two spellings', '[{"a":1,"\\u0061":1}]', 8, '/0/a'],
    ['an integer that is not exact', '{"n":9007199254740992}', 5, '/n'],
    ['a negative one', '[1,-9007199254740992]', 3, '/1'],
    ['one written with an exponent', '[1e16]', 1, '/0'],
    ['a number that is too large', '[1e400]', 1, '/0'],
    ['a number that would become zero', '[1e-400]', 1, '/0'],
    ['a negative zero', '[-0]', 1, '/0'],
    ['a negative zero with a fraction', '[-0.0e1]', 1, '/0'],
    ['the character U+0000', '{"a":"x\\u0000"}', 5, '/a'],
    ['U+0000 in a name', '{"\\u0000":1}', 1, '/\0'],
    ['half of an escaped surrogate pair', '["\\ud800"]', 1, '/0'],
    ['half of a surrogate pair', '["\ud800"]', 1, '/0'],
    ['a field named __proto__', '{"a":[{"__proto__":1}]}', 7, '/a/0/__proto__'],
    ['one that is escaped', '{"\\u005f_proto__":1}', 1, '/__proto__'],
    [
      'prototype below constructor',
      '{"constructor":{"prototype":1}}',
      16,
      '/constructor/prototype',
    ],
    ['a missing comma', '[1 2]', 3, ''],
    ['an end too early', '{"a":', 5, ''],
    ['nothing', '', 0, ''],
  ])('refuses %s', (_name, text, position, field) => {
    expect(refusal(text)).toMatchObject({ field, position })
  })

  it('names the fault and its place in the message', () => {
    expect(() => parseJson('{"a":1,"a":2}')).toThrow(
      'The body is not valid JSON: the field appears twice (at character 7).',
    )
  })

  it('takes 64 levels and refuses 65', () => {
    expect(refusal(nested(64))).toBe('taken')
    expect(refusal(nested(65))).toMatchObject({ position: 64 })
  })

  it('takes objects of 10,000 fields and refuses one of 10,001', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]))
    expect(refusal(JSON.stringify([fields(10_000), fields(10_000)]))).toBe('taken')
    expect(refusal(JSON.stringify({ a: fields(10_001) }))).toMatchObject({
      field: '/a/f10000',
      message: 'the object has more than 10000 fields',
    })
  })

  it('takes documents of 50,000 objects and arrays and refuses one of 50,001', () => {
    const lists = (count: number) => JSON.stringify({ a: Array.from({ length: count }, () => []) })
    expect(refusal(lists(49_998))).toBe('taken')
    expect(refusal(lists(49_999))).toMatchObject({
      field: '/a/49998',
      message: 'the document has more than 50000 objects and arrays',
    })
  })

  it.each(['[', '{"a":'])('refuses 200,000 levels of %s without running out of stack', (open) => {
    const close = open === '[' ? ']' : '}'
    const text = `${open.repeat(200_000)}1${close.repeat(200_000)}`
    expect(refusal(text)).toMatchObject({ message: 'the nesting is deeper than 64 levels' })
  })

  it.each(['[', '{"a":'])(
    'refuses levels of %s that never end before it has read them all',
    (open) => {
      const tooDeep = { message: 'the nesting is deeper than 64 levels' }
      expect(refusal(open.repeat(200_000))).toMatchObject(tooDeep)
      expect(refusal(`{"\\x":${open.repeat(200_000)}`)).toMatchObject({
        message: 'Bad escaped character',
        position: 3,
      })
      expect(refusal(`["a\\"[", "${open.repeat(20_000)}`)).toMatchObject({ field: '' })
    },
  )

  it('accepts every document that can be returned unchanged', () => {
    const names = fc.string({ unit: 'grapheme' }).filter((name) => !/__proto__|\0/.test(name))
    const texts = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        texts,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.double({ noNaN: true, min: -1e15, max: 1e15 }).filter((it) => !Object.is(it, -0)),
        fc.array(tie('value')),
        fc.dictionary(names, tie('value'), { noNullPrototype: true }),
      ),
    }))
    const holds = (document: unknown) => {
      for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
        expect(parseJson(text)).toEqual(document)
      }
    }
    fc.assert(fc.property(value, holds), { seed: 7159, numRuns: 300 })
  })

  it('of a long text yields between its pieces, and refuses faults in each of them', () => {
    const objects = Array.from({ length: 40_000 }, (_, a) => ({ a }))
    const text = JSON.stringify(objects)
    expect([...parseInPieces(text)].length).toBeGreaterThan(4)
    expect(parseJson(text)).toEqual(objects)

    for (const at of [0, 20_000, 39_999]) {
      const twice = text.replace(`{"a":${at}}`, `{"a":${at},"a":0}`)
      expect(refusal(twice)).toMatchObject({ field: `/${at}/a` })
    }
  })
})
