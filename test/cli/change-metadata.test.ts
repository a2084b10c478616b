import { describe, expect, it } from 'vitest'
import { applyChanges, parseSet, parseUnset } from '../../cli/metadata/change.ts'
import { UsageFailure } from '../../cli/failure.ts'

const document = { title: 'Old', creators: [{ name: 'Ada' }], notes: 'x' }

function set(...changes: readonly string[]): unknown {
  return applyChanges(document, changes.map(parseSet))
}

function catchOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('--set and --unset', () => {
  it('set text without interpreting it', () => {
    expect(set('title=2024', 'notes=a=b')).toMatchObject({ title: '2024', notes: 'a=b' })
  })

  it('set JSON behind :=', () => {
    expect(set('keywords:=["tide"]', 'n:=1')).toMatchObject({ keywords: ['tide'], n: 1 })
  })

  it('change lists and objects by JSON Pointer, and create missing parents', () => {
    expect(set('/creators/0/name=Grace', '/creators/-/name=', '/a~1b/c=d')).toMatchObject({
      creators: [{ name: 'Grace' }, { name: '' }],
      'a/b': { c: 'd' },
    })
  })

  it('remove a field, and suggest a similar name for a missing one', () => {
    const unset = (field: string) => applyChanges(document, [parseUnset(field)])

    expect(unset('notes')).toEqual({ title: 'Old', creators: [{ name: 'Ada' }] })
    expect(() => unset('note')).toThrow('there is no field "note"; did you mean "notes"?')
    expect(() => unset('/creators/0/orcid')).toThrow('there is no field "/creators/0/orcid"')
    expect(() => unset('/creators/1/name')).toThrow(UsageFailure)
  })

  it('append to a missing list', () => {
    expect(
      applyChanges({}, [parseSet('/keywords/-=tide'), parseSet('/creators/0/name=A')]),
    ).toEqual({
      keywords: ['tide'],
      creators: [{ name: 'A' }],
    })
  })

  it.for([
    ['creators.0.name=Bob', "write --set '/creators/0/name=Bob'"],
    ['creators[0].name=Bob', "write --set '/creators/0/name=Bob'"],
    ['keywords+=tide', "write --set '/keywords/-=tide'"],
    ['creators.name=Bob', "write --set '/creators/-/name=Bob'"],
    ['keywords[]=tide', "write --set '/keywords/-=tide'"],
    ['creators+=Bob', "write --set '/creators/-/name=Bob'"],
  ] as const)('refuse %s, and suggest the right notation', ([text, next]) => {
    const failure = catchOf(() => set(text))
    expect(failure).toBeInstanceOf(UsageFailure)
    expect(failure).toMatchObject({ next: `${next}; nothing was sent` })
    expect(set('a.b=c')).toMatchObject({ 'a.b': 'c' })
  })

  it('do not modify the given document', () => {
    set('title=New')

    expect(document.title).toBe('Old')
  })

  it('treat __proto__ like any other field', () => {
    const changed = applyChanges({}, [parseSet('/__proto__/x=1')])

    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype)
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"x":"1"}}')
  })

  it.for(['title', '=x', 'k:=[', '/title/x=1', '/creators/7=x', '/creators/x=1'])(
    'refuse %s',
    (text) => {
      expect(() => set(text)).toThrow(UsageFailure)
    },
  )
})
