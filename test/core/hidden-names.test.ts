import fc from 'fast-check'
import ignore from 'ignore'
import { expect, it } from 'vitest'
import { findHidden, hiddenNames } from '../../core/contract/hidden-names.ts'

it.each([
  ['a/b.csv', undefined],
  ['.git/config', '.git/'],
  ['a/.git/', 'a/.git/'],
  ['a/.env', 'a/.env'],
  ['a/Thumbs.db/.x', 'a/Thumbs.db/'],
  ['thumbs.db', undefined],
  ['~$report.docx', '~$report.docx'],
  ['a.~$b', undefined],
])('the first hidden name in %j is %j', (path, found) => {
  expect(findHidden(path)).toBe(found)
})

it('a path is hidden exactly if git would ignore it by the same patterns', () => {
  const patterns = ignore({ ignorecase: false }).add([...hiddenNames])
  const pieces = [
    '.',
    '..',
    'a',
    '~',
    '$',
    '~$',
    'Thumbs.db',
    'desktop.ini',
    'THUMBS.DB',
    '\n',
    ' ',
  ]
  const segment = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 })
  const paths = fc.array(segment, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(paths, fc.boolean(), (segments, isFolder) => {
      const path = segments.map((parts) => parts.join('')).join('/') + (isFolder ? '/' : '')
      fc.pre(ignore.isPathValid(path))
      expect(findHidden(path) !== undefined).toBe(patterns.ignores(path))
    }),
  )
})
