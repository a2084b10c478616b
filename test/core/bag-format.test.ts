import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bagDeclaration,
  parseBagDeclaration,
  parseBagInfo,
  parseFetch,
  parseManifest,
  parsePayloadOxum,
  toBagInfo,
  toManifestLine,
  toPayloadOxum,
} from '../../core/packages/bag-format.ts'

const digest = 'ab'.repeat(32)

/** Any name, as it may lie in `data/`. */
const path = fc
  .string({ unit: fc.oneof(fc.constantFrom('%', '\r', '\n', ' ', '\\', '%0A'), fc.string()) })
  .map((name) => `data/${name}`)

describe('the text files of a bag', () => {
  it('gives back the path and digest of each manifest line, whatever the name', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 5 }), (paths) => {
        const text = paths.map((each) => toManifestLine({ path: each, digest })).join('')
        expect(parseManifest(text)).toMatchObject({
          entries: paths.map((each, index) => ({ path: each, digest, line: index + 1 })),
          faults: [],
        })
      }),
    )
  })

  it('encodes percent signs and line ends of a path, and nothing else', () => {
    expect(toManifestLine({ path: 'data/50% \r\n ä\\.csv', digest: 'ff' })).toBe(
      'ff  data/50%25 %0D%0A ä\\.csv\n',
    )
    expect(parseManifest('FF\tdata/%0a%20%25\r\naa *data/*.csv').entries).toEqual([
      { line: 1, digest: 'ff', path: 'data/\n%20%', written: 'data/%0a%20%25', isStarred: false },
      { line: 2, digest: 'aa', path: 'data/*.csv', written: 'data/*.csv', isStarred: true },
    ])
  })

  it('names each line that is no line of a manifest', () => {
    expect(parseManifest('aa  data/a\n\nnothing\nzz  data/b\naa\n').faults).toEqual([
      { line: 3, said: 'it is not a digest and a path' },
      { line: 4, said: 'its digest is not hexadecimal' },
      { line: 5, said: 'it is not a digest and a path' },
    ])
  })

  it('reads addresses, lengths and paths of files that lie elsewhere', () => {
    const text = 'https://a.example/b%20c - data/b c\nhttps://a.example/d 12 data/d%25\nhttps://x'
    expect(parseFetch(text)).toEqual({
      entries: [
        { line: 1, url: 'https://a.example/b%20c', size: undefined, path: 'data/b c' },
        { line: 2, url: 'https://a.example/d', size: 12, path: 'data/d%' },
      ],
      faults: [{ line: 3, said: 'it is not an address, a length and a path' }],
    })
  })

  it('writes each field on one line, and reads folded and repeated ones', () => {
    const fields = [
      { label: 'External-Description', value: 'Water levels:\n hourly' },
      { label: 'Contact-Name', value: 'Ada' },
      { label: 'Contact-Name', value: 'Eve' },
    ]
    const text = toBagInfo(fields)
    expect(text.split('\n')[0]).toBe('External-Description: Water levels: hourly')
    expect(parseBagInfo(text).entries.map(({ label }) => label)).toEqual(
      fields.map(({ label }) => label),
    )
    expect(parseBagInfo('Bag-Size : 1 MB\nNote: one\n  two\r\nno colon\n')).toEqual({
      entries: [
        { label: 'Bag-Size', value: '1 MB' },
        { label: 'Note', value: 'one two' },
      ],
      faults: [{ line: 4, said: 'it is not a label, a colon and a value' }],
    })
  })

  it('reads the declaration that it writes, and no other form', () => {
    expect(parseBagDeclaration(bagDeclaration)).toEqual({ version: '1.0', encoding: 'UTF-8' })
    for (const text of [`\uFEFF${bagDeclaration}`, 'BagIt-version: 1.0\n', '']) {
      expect(parseBagDeclaration(text)).toBeUndefined()
    }
  })

  it('counts the bytes and files of the payload', () => {
    expect(parsePayloadOxum(toPayloadOxum({ bytes: 12, files: 3 }))).toEqual({
      bytes: 12,
      files: 3,
    })
    expect(parsePayloadOxum('12')).toBeUndefined()
  })
})
