import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isFitForWindows,
  toWindowsKey,
  safeKey,
  withoutFolders,
} from '../../core/contract/file-key.ts'

const safe = (name: string) => {
  const result = safeKey(name)
  return 'key' in result ? result.key : undefined
}

describe('the safe form of a name', () => {
  it.each([
    'a.txt',
    'a/b/c.txt',
    '.htaccess',
    '-rf',
    '~',
    'a:b',
    'a*b?.txt',
    'file.txt::$DATA',
    'A.TXT',
    '日本語.txt',
    '😀.png',
    '👩‍🔬.png',
    'caf\u00e9.txt',
    '．．／etc',
    '⁄etc',
    '‥/x',
    'İ.txt',
    'ﬁle.txt',
    '$(id)',
    '`id`',
    'a;rm -rf ',
    '=1+1.csv',
    '<img src=x onerror=alert(1)>.txt',
    '{{7*7}}',
    "'; DROP TABLE f;--",
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'files',
    'actions',
    'publish',
    '..;/x',
    '%2e%2e%2fx',
    '%252e',
    '..%2f..%2fetc%2fpasswd',
    '   .txt',
    'com10',
    'conx',
    'auxiliary.txt',
    'lpt',
    'a\u200bb',
    `${'a'.repeat(251)}.txt`,
  ])('of %j is the same name', (name) => {
    expect(safe(name.trimEnd())).toBe(name.trimEnd())
  })

  it.each([
    ['../../etc/passwd', 'etc/passwd'],
    ['..\\..\\windows\\win.ini', 'windows/win.ini'],
    ['/etc/passwd', 'etc/passwd'],
    ['C:\\boot.ini', 'C:/boot.ini'],
    ['\\\\srv\\share\\x', 'srv/share/x'],
    ['....//....//x', 'x'],
    ['a//b/./c/../d/', 'a/b/c/d'],
    ['a\0.txt', 'a.txt'],
    ['a\nb.txt', 'ab.txt'],
    ['a\r\nSet-Cookie: x=1', 'aSet-Cookie: x=1'],
    ['\u001b[31mred', '[31mred'],
    ['a\u0085b', 'ab'],
    ['x.txt.', 'x.txt'],
    ['x.txt ', 'x.txt'],
    ['a. ./b. . /c', 'a/b/c'],
    ['.\0./x', 'x'],
    ['.\u202e.', undefined],
    ['\u202etxt.exe', 'txt.exe'],
    ['a\u2066b\u2069', 'ab'],
    ['\ufeffbom.txt', 'bom.txt'],
    ['cafe\u0301.txt', 'caf\u00e9.txt'],
    ['e\u202e\u0301', '\u00e9'],
    ['\u212a.txt', 'K.txt'],
  ])('of %j is %j', (name, expected) => {
    expect(safe(name)).toBe(expected)
  })

  it.each([
    '',
    '.',
    '..',
    '...',
    ' ',
    '/',
    '\\',
    '//..//',
    '\0',
    '\ufeff',
    '. . .',
    '\ud800.txt',
    'a\udc00',
  ])('of %j does not exist', (name) => {
    expect(safeKey(name)).toEqual({ reason: expect.any(String) as string })
  })

  it.each([
    ['aux.csv', 'aux_.csv'],
    ['a/con.tex', 'a/con_.tex'],
    ['Aux/b', 'Aux_/b'],
    ['NUL', 'NUL_'],
    ['nul:x', 'nul__x'],
    ['CON .txt', 'CON_.txt'],
    ['12:30.csv', '12_30.csv'],
    ['a<b>c"d|e?f*.txt', 'a_b_c_d_e_f_.txt'],
    ['auxiliary.txt', 'auxiliary.txt'],
  ])('keeps %j, which Windows stores as %j', (name, local) => {
    expect(safe(name)).toBe(name)
    expect(toWindowsKey(name)).toBe(local)
    expect(isFitForWindows(name)).toBe(name === local)
    expect(isFitForWindows(local)).toBe(true)
  })

  it('is fit for Windows exactly if Windows stores it under the same name', () => {
    const pieces = 'con|CON|aux|nul|com1|lpt\u00b9|conin$| |.|:|/|*|a|\u017f|\n|_'.split('|')
    const names = fc.array(fc.constantFrom(...pieces), { maxLength: 6 })
    fc.assert(
      fc.property(names, (parts) => {
        const name = parts.join('')
        expect(isFitForWindows(name)).toBe(toWindowsKey(name) === name)
      }),
    )
  })

  it('has at most 255 bytes between slashes and 1,024 in all', () => {
    expect(safe('a'.repeat(255))).toBeDefined()
    expect(safe('a'.repeat(256))).toBeUndefined()
    expect(safe('é'.repeat(127))).toBeDefined()
    expect(safe('é'.repeat(128))).toBeUndefined()
    const folders = Array.from({ length: 4 }, () => 'a'.repeat(255)).join('/')
    expect(safe(folders)).toBeDefined()
    expect(safe(`${folders}/`)).toBe(folders)
    expect(safe(`${folders.slice(1)}/b`)).toBeDefined()
    expect(safe(`${folders}/b`)).toBeUndefined()
  })

  it('is its own safe form, is a relative path, and has no invisible characters', () => {
    const odd = fc.constantFrom(
      ...Array.from('/\\. \0\n\u0085\u061c\u200e\u202e\u2069\ufeff\u0301\u0338aé~:Kc=<'),
      'con',
      '..',
      'e\u0301',
      '\u212a',
      '\u1100',
      '\u1161',
      '\u0f71',
      '\u0f72',
    )
    const unit = fc.oneof(odd, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
    const name = fc.array(unit, { maxLength: 24 }).map((units) => units.join(''))
    const holds = (text: string) => {
      const key = safe(text)
      if (key === undefined) return
      expect(safe(key)).toBe(key)
      expect(key).toBe(key.normalize('NFC'))
      expect(key).not.toMatch(/[\p{Cc}\\\u202a-\u202e\u2066-\u2069\ufeff]|[. ](?:\/|$)/u)
      expect(key.split('/')).not.toContain('')
    }
    fc.assert(fc.property(name, holds), { seed: 3629, numRuns: 5000 })
  })

  it('is the same for two Unicode forms of a name', () => {
    const holds = (text: string) => {
      expect(safeKey(text.normalize('NFD'))).toEqual(safeKey(text.normalize('NFC')))
    }
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), holds), { seed: 15, numRuns: 2000 })
  })
})

describe('the name of a form part', () => {
  it.each([
    ['a/b/c.txt', 'c.txt'],
    ['C:\\data\\c.txt', 'c.txt'],
    ['a\\b/c.txt', 'c.txt'],
    ['c.txt', 'c.txt'],
    ['a/', ''],
  ])('of %j is %j', (name, expected) => {
    expect(withoutFolders(name)).toBe(expected)
  })
})
