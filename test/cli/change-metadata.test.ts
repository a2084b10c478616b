import { describe, expect, it } from 'vitest'
import { applyChanges, parseSet, parseUnset } from '../../cli/metadata/change.ts'
import { UsageFailure } from '../../cli/failure.ts'

const document = { title: 'Old', creators: [{ name: 'Ada' }], notes: 'x' }

function set(...changes: readonly string[]): unknown {
  return applyChanges(document, changes.map(parseSet))
}

describe('--set and --unset', () => {
  it('set a text as it is, whatever it looks like', () => {
    expect(set('title=2024', 'notes=a=b')).toMatchObject({ title: '2024', notes: 'a=b' })
  })

  it('set JSON behind :=', () => {
    expect(set('keywords:=["tide"]', 'n:=1')).toMatchObject({ keywords: ['tide'], n: 1 })
  })

  it('reach into lists and objects by JSON Pointer, and make what is missing on the way', () => {
    expect(set('/creators/0/name=Grace', '/creators/-/name=', '/a~1b/c=d')).toMatchObject({
      creators: [{ name: 'Grace' }, { name: '' }],
      'a/b': { c: 'd' },
    })
  })

  it('remove a field; one that is not there is no fault', () => {
    expect(applyChanges(document, [parseUnset('notes'), parseUnset('none')])).toEqual({
      title: 'Old',
      creators: [{ name: 'Ada' }],
    })
  })

  it('leave the document they were given as it was', () => {
    set('title=New')

    expect(document.title).toBe('Old')
  })

  it('take __proto__ for a field like any other', () => {
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
