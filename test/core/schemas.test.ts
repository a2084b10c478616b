import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packageSchemas } from '../../core/contract/metadata.ts'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import type { JsonObject } from '../../core/base/json.ts'
import { metadataFormats } from '../../core/contract/metadata-formats.ts'
import { createSchemaRegistry } from '../../core/schemas/registry.ts'
import { findFaults, findWarnings, requireValid } from '../../core/schemas/validate.ts'

const origin = 'http://127.0.0.1:8420'

const registry = (schemas: Readonly<Record<string, JsonObject>> = {}) =>
  createSchemaRegistry({
    prefix: 'deposits/',
    defaultPath: 'deposits/deposit-v1.0.0.json',
    origin: () => origin,
    schemas,
  })

const dataset = {
  title: 'Penguins',
  creators: [{ name: 'Horst, Allison', orcid: '0000-0002-6047-5564', affiliation: ['UCSB'] }],
  description: 'Sizes of penguins.',
  publication_date: '2020-07',
  resource_type: 'dataset',
  license: 'CC0-1.0',
}

const faultsOf = (path: string, document: JsonObject, schemas = registry()) =>
  findFaults(schemas, path, document)

describe('the schemas of the package', () => {
  it.each(Object.entries(packageSchemas))('%s is accepted by a strict validator', (_p, it) => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false })
    formats.default(ajv)
    for (const [name, validate] of Object.entries(metadataFormats)) ajv.addFormat(name, validate)
    ajv.addKeyword({ keyword: 'recommended', schemaType: 'array' })
    ajv.addKeyword({ keyword: 'vocabulary', schemaType: 'string' })
    expect(() => ajv.compile(it)).not.toThrow()
  })

  it('all compile, also in the form that checks drafts', () => {
    expect(registry().faults()).toEqual([])
  })

  it('explain every field to the person who fills it in', () => {
    const { properties } = packageSchemas['deposit-v1.0.0.json'] as { properties: object }
    for (const field of Object.values(properties)) {
      const about = field as { readonly title?: unknown; readonly description?: unknown }
      expect([typeof about.title, typeof about.description]).toEqual(['string', 'string'])
    }
    expect(Object.keys(properties).join(' ')).toBe(
      'title creators contributors description methods publication_date publisher resource_type ' +
        'license access keywords subjects related_identifiers references alternate_identifiers doi funding ' +
        'version language dates locations notes',
    )
  })

  it('accept a complete document with further fields', () => {
    const document = {
      ...dataset,
      contributors: [{ name: 'LTER' }],
      keywords: ['birds'],
      subjects: ['Zoology', { subject: 'Spheniscidae', scheme: 'MeSH' }],
      related_identifiers: [
        { identifier: '10.1371/journal.pone.0090081', relation: 'isSupplementTo', scheme: 'doi' },
      ],
      funding: [{ funder: 'NSF', award: 'OPP-0217282' }],
      version: '1.0',
      language: 'en-GB',
      dates: [{ date: '2007/2009', type: 'collected' }],
      notes: '',
      station: { name: 'Palmer' },
    }
    for (const path of registry().paths) expect(faultsOf(path, document)).toEqual([])
  })

  it.for(Object.keys(packageSchemas))('accept every example that their fields give: %s', (path) => {
    for (const [name, field] of Object.entries(fields.properties))
      for (const example of 'examples' in field ? field.examples : [])
        expect([name, faultsOf(path, { ...dataset, [name]: example })]).toEqual([name, []])
  })

  it('require nothing by default', () => {
    expect(faultsOf('deposit-v1.0.0.json', {})).toEqual([])
    expect(faultsOf('deposit-v1.0.0.json', { title: 'x' })).toEqual([])
  })

  it('report all missing fields of a citable data set at once', () => {
    const fields = faultsOf('dataset-v1.0.0.json', {}).map(({ field }) => field)
    expect(fields.toSorted()).toEqual([
      '/creators',
      '/description',
      '/license',
      '/publication_date',
      '/resource_type',
      '/title',
    ])
    expect(faultsOf('dataset-v1.0.0.json', { ...dataset, creators: [] })).toEqual([
      { field: '/creators', message: 'Creators must not be empty.' },
    ])
  })

  it('accept incomplete and half-typed values in a draft, but no values of the wrong type', () => {
    const draft = { title: '', creators: [{ orcid: '0000-' }], publication_date: '20', dates: [{}] }
    expect(faultsOf('deposits/dataset-v1.0.0.json', draft)).toEqual([])
    expect(
      faultsOf('deposits/dataset-v1.0.0.json', { title: 1, creators: [{ name: [] }] }),
    ).toEqual([
      { field: '/title', message: 'Title must be text.' },
      { field: '/creators/0/name', message: 'Name must be text.' },
    ])
  })

  it('describe each fault in words, with its place', () => {
    const document = {
      title: '',
      creators: [{ name: 'A', orcid: '0000-0002-1825-0098' }, { given_name: 'B' }],
      publication_date: '2023-02-29',
      resource_type: 'Dataset',
      keywords: 'birds',
      language: 'english language',
      related_identifiers: [{ identifier: 'x', relation: 'likes' }],
    }
    expect(faultsOf('deposit-v1.0.0.json', document)).toEqual([
      { field: '/title', message: 'Title must not be empty.' },
      {
        field: '/creators/0/orcid',
        message: 'That is not a valid ORCID iD; check the last digit.',
      },
      {
        field: '/creators/1/name',
        message: 'Name is missing. Write: "name": "Carberry, Josiah"',
      },
      {
        field: '/publication_date',
        message: 'Publication date must be a date such as 2026-11-20, 2026-11 or 2026.',
      },
      {
        field: '/resource_type',
        message: 'Resource type cannot be "Dataset"; did you mean "dataset"?',
      },
      {
        field: '/keywords',
        message: 'Keywords must be a list. Write: "keywords": ["tide gauge", "sea level"]',
      },
      {
        field: '/related_identifiers/0/relation',
        message: 'Relation must be one of DataCite’s relation types, such as IsSupplementTo.',
      },
      { field: '/language', message: 'Language must be a language tag such as en or pt-BR.' },
    ])
  })
})

describe('checking a document', () => {
  it('refuses a document and lists every fault', () => {
    const check = () => requireValid(registry(), 'dataset-v1.0.0.json', {})
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_document' }))
    expect(() => requireValid(registry(), null, { title: 1 })).not.toThrow()
  })

  const now = '2026-11-22T12:00:00Z'

  it('warns of missing fields that the default schema recommends, or that help to find it', () => {
    const fields = (document: JsonObject) =>
      findWarnings(registry(), 'deposit-v1.0.0.json', document, now).map(({ field }) => field)
    const description = 'Sizes of penguins that nested on three islands.'.repeat(2)
    const found = { ...dataset, description, keywords: ['penguins'], references: ['Horst 2020'] }
    expect(fields({ ...found, title: ' ', creators: [] })).toEqual(['/title', '/creators'])
    expect(fields(found)).toEqual([])
    expect(fields(dataset)).toEqual(['/description', '/keywords'])
    expect(findWarnings(registry(), null, {}, now)).toEqual([])
  })

  it('lists the allowed values when none is similar', () => {
    expect(faultsOf('deposit-v1.0.0.json', { resource_type: 'x' })).toMatchObject([
      { message: expect.stringMatching(/^Resource type must be one of "audiovisual", /) as string },
    ])
  })

  it('reports at most a hundred faults', () => {
    const keywords = Array.from({ length: 5000 }, (_, index) => index)
    expect(faultsOf('deposits/deposit-v1.0.0.json', { keywords })).toHaveLength(100)
  })

  it('is not fooled by names that objects inherit', () => {
    const schema = { required: ['toString'], properties: { constructor: { type: 'string' } } }
    const schemas = registry({ 'odd.json': schema })
    expect(faultsOf('odd.json', {}, schemas)).toHaveLength(1)
    expect(faultsOf('odd.json', { toString: 1 }, schemas)).toEqual([])
  })
})

describe('the registry', () => {
  it('finds the deposit schema of a record schema, and the reverse', () => {
    const schemas = registry({ 'only-record.json': {}, 'deposits/only-deposit.json': {} })
    expect(schemas.depositSchemaOf('dataset-v1.0.0.json')).toBe('deposits/dataset-v1.0.0.json')
    expect(schemas.recordSchemaOf('deposits/dataset-v1.0.0.json')).toBe('dataset-v1.0.0.json')
    expect(schemas.depositSchemaOf('only-record.json')).toBeNull()
    expect(schemas.recordSchemaOf('deposits/only-deposit.json')).toBeNull()
    expect(() => schemas.recordSchemaOf('dataset-v1.0.0.json')).toThrow(
      expect.objectContaining({ code: 'unknown_schema' }),
    )
    expect(schemas.depositPaths).toContain('deposits/only-deposit.json')
    expect(schemas.depositPaths).not.toContain('only-record.json')
    expect(schemas.depositSchemaOf('unknown.json')).toBeNull()
  })

  it('turns a URL into a path and back, and accepts a path alone', () => {
    const { toUrl, parseUrl, parseDepositUrl } = registry()
    expect(toUrl('dataset-v1.0.0.json')).toBe(`${origin}/schemas/dataset-v1.0.0.json`)
    expect(parseUrl(toUrl('dataset-v1.0.0.json'))).toBe('dataset-v1.0.0.json')
    expect(parseUrl('dataset-v1.0.0.json')).toBe('dataset-v1.0.0.json')
    expect(parseDepositUrl('dataset-v1.0.0.json')).toBe('deposits/dataset-v1.0.0.json')
    expect(parseDepositUrl('deposits/dataset-v1.0.0.json')).toBe('deposits/dataset-v1.0.0.json')
  })

  it.each([
    'http://169.254.169.254/',
    'file:///etc/passwd',
    'unknown.json',
    '',
    '../errors.ts',
    '__proto__',
    'constructor',
    'https://127.0.0.1:8420/schemas/dataset-v1.0.0.json',
    1,
    null,
    {},
    [],
    `${origin}/schemas/../schemas/dataset-v1.0.0.json`,
    `${origin}/schemas/dataset-v1.0.0.json#`,
  ])('does not know %j', (url) => {
    expect(() => registry().parseUrl(url)).toThrow(
      expect.objectContaining({ code: 'unknown_schema' }),
    )
    expect(() => registry().parseDepositUrl(url)).toThrow(
      expect.objectContaining({ code: 'unknown_schema' }),
    )
  })

  it('accepts schemas of the operator, in draft-07 and 2020-12, that refer to each other', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    const schemas = registry({
      'site/person.json': { $schema, type: 'object', required: ['name'] },
      'site/deposits.json': { $schema, properties: { owner: { $ref: 'person.json' } } },
      'old.json': { items: [{ type: 'string' }], hint: 'ignored', format: 'unheard-of' },
    })
    expect(schemas.faults()).toEqual([])
    expect(faultsOf('site/deposits.json', { owner: {} }, schemas)).toEqual([
      { field: '/owner/name', message: '"name" is missing.' },
    ])
  })

  it('replaces a schema of the package with the operator’s schema of the same name', () => {
    const schemas = registry({ 'deposit-v1.0.0.json': { required: ['lab'] } })
    expect(faultsOf('deposit-v1.0.0.json', {}, schemas)).toHaveLength(1)
  })

  it('names the schemas that do not compile, and fetches nothing they refer to', () => {
    const schemas = registry({
      'a.json': { $ref: 'http://169.254.169.254/schema.json' },
      'b.json': { type: 'strnig' },
      'c.json': { properties: { a: { type: 'string', pattern: '(?=x)' } } },
    })
    expect(schemas.faults().map(({ path }) => path)).toEqual(['a.json', 'b.json', 'c.json'])
  })

  it('refuses an unknown dialect', () => {
    const $schema = 'http://json-schema.org/draft-04/schema#'
    expect(() => registry({ 'a.json': { $schema } })).toThrow('neither draft-07 nor draft 2020-12')
  })

  it('matches each of several patterns', () => {
    const properties = { a: { pattern: '^a+$' }, b: { pattern: '^b+$' }, c: { pattern: '^c+$' } }
    const schemas = registry({ 'a.json': { properties } })

    expect(faultsOf('a.json', { a: 'a', b: 'bb', c: 'ccc' }, schemas)).toEqual([])
    expect(faultsOf('a.json', { a: 'b', b: 'b', c: 'a' }, schemas)).toHaveLength(2)
  })

  it('shows an example of a pattern, and the DOI of an address', () => {
    const pattern = '^10\\.[0-9]{4,9}/\\S+$'
    const doi = { title: 'DOI', pattern, examples: ['10.5281/zenodo.1'] }
    const schemas = registry({ 'a.json': { properties: { doi } } })

    const fault = (text: string) => faultsOf('a.json', { doi: text }, schemas)[0]?.message
    expect(fault('none')).toBe(`DOI must match the pattern ${pattern}, such as 10.5281/zenodo.1.`)
    const advised = fault('https://doi.org/10.5281/zenodo.7')
    expect(advised).toBe('Write the DOI alone: 10.5281/zenodo.7')
    expect(fault(advised?.split(': ')[1] ?? '')).toBeUndefined()
  })

  it('matches every pattern in time proportional to the text', () => {
    const schemas = registry({ 'a.json': { properties: { a: { pattern: '^(a+)+$' } } } })
    expect(faultsOf('a.json', { a: 'a'.repeat(100_000) }, schemas)).toEqual([])
    expect(faultsOf('a.json', { a: `${'a'.repeat(100_000)}!` }, schemas)).toEqual([
      { field: '/a', message: '"a" must match the pattern ^(a+)+$.' },
    ])
  })
})

describe('the formats of metadata', () => {
  const takes = (format: string, text: string) => metadataFormats[format]?.(text)

  it.each([
    [
      'orcid',
      ['0000-0002-1825-0097', '0000-0002-9079-593X', 'https://orcid.org/0000-0002-1825-0097'],
      [
        '0000-0002-1825-0098',
        '0000000218250097',
        '0000-0002-9079-593x',
        '',
        'x 0000-0002-1825-0097',
      ],
    ],
    [
      'partial-date',
      ['2026', '2026-11', '2026-11-20', '2024-02-29', '0001-01-01'],
      ['2023-02-29', '2026-13', '2026-00', '26', '2026-1', '2026-11-31', '2026-11-20T00:00', ''],
    ],
    [
      'date-or-period',
      ['2026', '2025-04-01/2025-06-30', '2025/', '/2025'],
      ['/', '2025/2026/2027', '2025/x', ''],
    ],
    ['language-tag', ['en', 'pt-BR', 'zh-Hant', 'de-1996'], ['english language', '', 'e', 'en_GB']],
    ['contributor-type', ['DataCurator', 'datacurator'], ['curator', '', 'Editor ']],
    ['relation-type', ['IsSupplementTo', 'issupplementto', 'cites'], ['likes', '', 'cites ']],
  ])('%s', (format, right, wrong) => {
    for (const text of right) expect([text, takes(format, text)]).toEqual([text, true])
    for (const text of wrong) expect([text, takes(format, text)]).toEqual([text, false])
  })

  it('detect any single wrong digit of an ORCID iD', () => {
    const id = '0000-0002-1825-0097'
    const digits = [...id.matchAll(/\d/g)].map(({ index }) => index)
    const holds = (index: number, digit: number) => {
      const other = id.slice(0, index) + digit + id.slice(index + 1)
      expect(takes('orcid', other)).toBe(other === id)
    }
    fc.assert(fc.property(fc.constantFrom(...digits), fc.nat(9), holds), { seed: 1 })
  })
})
