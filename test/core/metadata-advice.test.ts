import spdx from 'spdx-correct'
import { describe, expect, it } from 'vitest'
import { findWrapped, isDescribed } from '../../core/contract/described.ts'
import { findDoubts } from '../../core/contract/metadata-advice.ts'
import { metadataFormats } from '../../core/contract/metadata-formats.ts'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { en } from '../../daemon/pages/text/en.ts'

const known = { now: '2026-11-22T12:00:00Z', spdx }
const schema = { ...packageSchemas['deposit-v1.0.0.json'] }
const doubtsOf = (document: object) => findDoubts(schema, { ...document }, known)

/** A DOI has a pattern but no format. */
type FormatText = Exclude<Extract<keyof typeof en, `fault.format.${string}`>, 'fault.format.doi'>

/** Values that the pages recommend, by the text with the advice; does not compile without one. */
const advised: Readonly<Record<FormatText, readonly string[]>> = {
  'fault.format.orcid': [],
  'fault.format.partial-date': ['2026-11-20', '2026-11', '2026'],
  'fault.format.date-or-period': ['2026-11-20', '2024/2025'],
  'fault.format.language-tag': ['en', 'de', 'pt-BR'],
  'fault.format.relation-type': [],
}

describe('a value that the pages recommend', () => {
  it.for(Object.entries(advised))('is accepted: %s', ([name, values]) => {
    const format = Object.entries(metadataFormats).find(([key]) => name.endsWith(`.${key}`))
    expect(format).toBeDefined()
    for (const value of values) {
      expect(en[name as FormatText]).toContain(value)
      expect([value, format?.[1](value)]).toEqual([value, true])
    }
  })
})

describe('a document with all of its fields in metadata', () => {
  const wrapped = { metadata: { title: 'Low water' } }

  it.for([
    ['alone', wrapped],
    ['beside access', { ...wrapped, access: { files: 'restricted' }, $schema: 'x', files: {} }],
    ['beside empty fields', { ...wrapped, title: '', creators: [] }],
  ] as const)('is told to move them: %s', ([, document]) => {
    expect(findWrapped(schema, document)).toEqual([
      {
        field: '/metadata',
        message: expect.stringMatching(
          /^The fields are inside "metadata", .* no "title"\. Move them .*document\.$/,
        ) as string,
      },
    ])
  })

  it.for([
    ['with a field beside it', { ...wrapped, keywords: ['tide'] }],
    ['with no field that the schema has', { metadata: { station: 3 } }],
    ['that is text', { metadata: 'title: Low water' }],
  ] as const)('is no other: %s', ([, document]) => {
    expect(findWrapped(schema, document)).toEqual([])
  })

  it('is none by a schema that has the field metadata', () => {
    const own = { properties: { title: {}, metadata: { type: 'object' } } }
    expect(findWrapped(own, wrapped)).toEqual([])
    expect(isDescribed(own, wrapped)).toBe(true)
  })

  it('may be known from a schema that is not known here', () => {
    expect(isDescribed(undefined, { station: 3 })).toBe(true)
    expect(isDescribed(undefined, { $schema: 'x', access: { files: 'public' } })).toBe(false)
  })
})

describe('advice on metadata', () => {
  it.for([
    ['a misspelt field', { titel: 'x' }, '/titel', '"titel" is not a field .*mean "title"\\?$'],
    ['a field in capitals', { Creators: [] }, '/Creators', 'mean "creators"\\?$'],
    ['a field in the singular', { keyword: 'x' }, '/keyword', 'mean "keywords"\\?$'],
    ['an unknown field', { colour: 'x' }, '/colour', 'it is kept as it is\\.$'],
    ['identifiers of another service', { pids: { doi: {} } }, '/pids', 'identifies nothing here'],
    ['a DOI of all versions', { conceptdoi: '10.1/1' }, '/conceptdoi', 'is written as "doi", an'],
    ['a field of a part', { creators: [{ name: 'A', orcID: '' }] }, '/creators/0/orcID', '"orcid"'],
    ['a name of a license', { license: 'CC BY 4.0' }, '/license', 'mean "CC-BY-4.0"\\?$'],
    ['no license', { license: 'ask me' }, '/license', 'is not an SPDX identifier, such as'],
    [
      'a text as license',
      { license: 'MIT '.repeat(20_000) },
      '/license',
      '^The license has more th',
    ],
    ['the name of a language', { language: 'german' }, '/language', 'mean "de"\\?$'],
    ['no language', { language: 'zz' }, '/language', 'is not the code of a language'],
    ['a year to come', { publication_date: '2099' }, '/publication_date', 'The year 2099 is far'],
  ] as const)('names %s', ([, document, field, message]) => {
    const found = doubtsOf(document)
    expect(found).toEqual([{ field, message: expect.stringMatching(message) as string }])
  })

  it.for([
    { license: 'MIT OR Apache-2.0' },
    { license: 'LicenseRef-own' },
    { language: 'tlh' },
    { language: 'pt-BR' },
    { publication_date: '2027-01' },
    { $schema: 'x', _deposit: {} },
    { access: { files: 'public' } },
  ])('accepts %j', (document) => {
    expect(doubtsOf(document)).toEqual([])
  })

  it.for([
    { accessConstraints: 'license' },
    { accessConstraints: ['copyright', 'otherRestrictions'] },
    { access_conditions: 'Data use agreement required' },
    { terms_of_access: 'signed agreement' },
    { access_policy: 'DUO:0000007' },
    { access_note: 'ask the author' },
  ])('asks for %j whether everybody may have the files', (document) => {
    const [name] = Object.keys(document)
    expect(doubtsOf(document).map(({ field }) => field)).toContain(`/${name}`)
    expect(doubtsOf({ ...document, access: 'open' })).toEqual([])
    expect(doubtsOf({ accessConstraints: ['none'] })).toEqual([])
  })

  it('says that files become public at once, where the publication date is a day to come', () => {
    const document = { publication_date: '2027-05-01' }
    const [{ field, message } = { field: '', message: '' }] = doubtsOf(document)
    expect(field).toBe('/publication_date')
    expect(message).toContain('access: {files: restricted, until: 2027-05-01}')
    for (const files of ['public', 'restricted'])
      expect(doubtsOf({ ...document, access: { files } })).toEqual([])
  })

  it('checks no more unknown fields than it reports', () => {
    let judged = 0
    const properties = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          judged += 1
          return undefined
        },
      },
    )
    const fields = Array.from({ length: 300 }, (_, at) => [`unknown${at}`, 0] as const)
    const doubts = findDoubts({ properties }, Object.fromEntries(fields), known)
    expect(doubts).toHaveLength(100)
    // Three further fields have their own rules.
    expect(judged).toBeLessThanOrEqual(103)
  })
})
