import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { verifyPackage } from '../../cli/check/verify-package.ts'
import { fromDataciteXml } from '../../core/contract/foreign/datacite-xml.ts'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { toPackageLine } from '../../cli/packages/contents.ts'
import { openPackage } from '../../cli/packages/open-package.ts'
import { exportFormats, type JsonObject } from '../../core/index.ts'
import { bagOf } from '../support/bag.ts'
import { describeDocument } from '../support/describe-document.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface CrateOptions {
  readonly version?: string
  readonly root?: object
  readonly entities?: readonly object[]
}

/** The metadata file of a crate. */
function crateOf({ version = '1.2', root = {}, entities = [] }: CrateOptions = {}): string {
  const name = version === '1.0' ? 'ro-crate-metadata.jsonld' : 'ro-crate-metadata.json'
  return JSON.stringify({
    '@context': `https://w3id.org/ro/crate/${version}/context`,
    '@graph': [
      {
        '@id': name,
        '@type': 'CreativeWork',
        about: { '@id': './' },
        conformsTo: { '@id': `https://w3id.org/ro/crate/${version}` },
      },
      { '@id': './', '@type': 'Dataset', ...root },
      ...entities,
    ],
  })
}

function fileOf(id: string, text: string): object {
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { '@id': id, '@type': 'File', contentSize: String(text.length), sha256 }
}

async function judge(files: Readonly<Record<string, string>>) {
  await using folder = await temporaryFolder(files)
  await using opened = await openPackage(folder.path)
  const errors = await verifyPackage(opened, undefined)
  const [kind, names] = [opened.kind, opened.names]
  return {
    kind,
    names,
    errors: errors.map(toPackageLine),
    warnings: opened.warnings.map(toPackageLine),
  }
}

describe('a crate', () => {
  const [composed, decomposed] = ['caf\u00e9.csv', 'cafe\u0301.csv'] as const
  const differ = `"${composed}" and "${decomposed}" differ only in Unicode normalisation`

  it('in a bag from another system has warnings of its names and files, and no faults', async () => {
    const crate = crateOf({ entities: [fileOf(composed, '1'), fileOf('.DS_Store', 'x')] })
    const files = bagOf({ 'ro-crate-metadata.json': crate, [decomposed]: '1' })
    const left = { 'data/.DS_Store': 'y', 'data/b/._a': '' }
    const { errors, warnings } = await judge({ ...files, ...left })

    expect(errors).toEqual([])
    expect(warnings).toContain(`data/ro-crate-metadata.json: ${differ}`)
    const said = 'systems leave such a file in folders: remove it, unless you put it there'
    expect(warnings).toContain(`data/.DS_Store: ${said}`)
    expect(warnings).toContain(`data/b/._a: ${said}`)

    const gone = await judge(files)
    expect(gone.errors).toEqual([])
    const missing = 'ro-crate-metadata.json describes it, but it is missing'
    expect(gone.warnings).toContain(`data/.DS_Store: ${missing}`)
  })

  it('or a Data Package finds files whose names have another normalisation', async () => {
    const crate = crateOf({ entities: [fileOf(composed, '1')] })
    const described = JSON.stringify({ resources: [{ name: 'a', path: composed, bytes: 1 }] })
    for (const [name, text] of [
      ['ro-crate-metadata.json', crate],
      ['datapackage.json', described],
    ] as const) {
      const fine = await judge({ [name]: text, [decomposed]: '1' })
      expect(fine.errors).toEqual([])
      expect(fine.warnings).toContain(`${name}: ${differ}`)
      expect((await judge({ [name]: text, [decomposed]: '12' })).errors).not.toEqual([])
    }
  })

  it.for(['1.0', '1.1', '1.2'])(
    'of version %s is verified by what it says of its files',
    async (version) => {
      const name = version === '1.0' ? 'ro-crate-metadata.jsonld' : 'ro-crate-metadata.json'
      const entities = [fileOf('./b/a%20%C3%B8.csv', '1'), { '@id': 'b/', '@type': ['Dataset'] }]
      const root = { identifier: { '@id': '#id' }, url: 'https://example.org/records/abcde-12345' }
      const id = { '@id': '#id', '@type': 'PropertyValue', value: 'doi:10.1234/5' }
      const crate = crateOf({ version, root, entities: [...entities, id] })

      expect(await judge({ [name]: crate, 'b/a ø.csv': '1' })).toEqual({
        kind: 'ro-crate',
        names: ['doi:10.1234/5', 'https://example.org/records/abcde-12345'],
        errors: [],
        warnings: [],
      })
    },
  )

  it('is refused with everything that differs', async () => {
    const entities = [
      fileOf('a.csv', '1'),
      fileOf('b.csv', '2'),
      { '@id': 'c.csv', '@type': 'File', contentSize: 7 },
      { '@id': 'gone/', '@type': 'Dataset' },
      { '@id': '../secret', '@type': 'File' },
      { '@id': 'file:///etc/passwd', '@type': 'File' },
      { '@id': 'http://127.0.0.1:1/x', '@type': 'File' },
    ]
    const files = {
      'ro-crate-metadata.json': crateOf({ entities }),
      'b.csv': '3',
      'c.csv': '',
      d: '',
    }

    const { errors, warnings } = await judge(files)
    expect(errors).toEqual([
      'a.csv: ro-crate-metadata.json describes it, but it is missing',
      'c.csv: it has 0 bytes, and 7 in ro-crate-metadata.json',
      'gone: ro-crate-metadata.json describes it, but it is missing',
      'ro-crate-metadata.json: it describes "../secret": the path leads out of the package',
      'ro-crate-metadata.json: it describes "file:///etc/passwd", a file of a machine',
      'b.csv: its sha256 differs from that in ro-crate-metadata.json',
    ])
    expect(warnings).toEqual([
      'the crate has no digest of 2 of its files, so a change of them is not seen',
    ])
  })

  it.for([
    ['{', 'it is not JSON'],
    ['{}', 'it must be JSON-LD with a list @graph of entities'],
    ['{"@graph":[{"@id":"./"}]}', 'it has no descriptor that is about a root entity'],
    [
      '{"@graph":[{"@id":"ro-crate-metadata.json","about":{"@id":"x"}},{"@id":"x"}]}',
      'its root entity must have the @type Dataset',
    ],
  ])('of the metadata %s is none', async ([text = '', said]) => {
    const { errors } = await judge({ 'ro-crate-metadata.json': text })
    expect(errors).toEqual([`ro-crate-metadata.json: ${said}`])
  })

  it('whose entities refer to each other in a circle is read', async () => {
    const root = { author: { '@id': '#a' }, name: 'Tides' }
    const entities = [
      { '@id': '#a', '@type': 'Person', name: 'Ada', knows: [{ '@id': '#a' }, { '@id': './' }] },
    ]
    await using folder = await temporaryFolder({
      'ro-crate-metadata.json': crateOf({ root, entities }),
    })

    expect((await readIn(folder.path)).metadata).toMatchObject({
      title: 'Tides',
      creators: [{ name: 'Ada' }],
    })
  })
})

it('a crate whose entities refer to each other without end is read soon', async () => {
  const ids = Array.from({ length: 200 }, (_, at) => ({ '@id': `#${at}` }))
  const entities = ids.map((id) => ({ ...id, name: 'Ada', knows: ids }))
  const text = crateOf({ root: { author: ids }, entities })
  await using folder = await temporaryFolder({ 'ro-crate-metadata.json': text })

  expect((await readIn(folder.path)).metadata).toHaveProperty('creators')
})

function readIn(folder: string) {
  return readMetadata({ folder, stdin: Readable.from([]) }, 'ro-crate-metadata.json')
}

const document = {
  title: 'Tides & <others>',
  creators: [
    {
      name: 'Lovelace, Ada',
      given_name: 'Ada',
      family_name: 'Lovelace',
      orcid: '0000-0002-1825-0097',
      affiliation: [{ name: 'Sea Group', ror: 'https://ror.org/03yrm5c26' }],
    },
    { name: 'The Sea Group' },
  ],
  contributors: [{ name: 'Hopper, Grace' }],
  description: 'They rise and fall.',
  publication_date: '2026-02-01',
  publisher: 'Sea Press',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['tide', 'sea'],
  version: '1.0',
  language: 'en',
  doi: '10.1234/tides',
  methods: 'A gauge',
  funding: [
    {
      funder: 'The Fund',
      funder_id: 'https://ror.org/00k4n6c32',
      award: '12',
      award_title: 'Tides of all',
      award_uri: 'https://fund.org/12',
    },
    { funder: 'Other' },
  ],
  locations: [{ place: 'Cuxhaven', point: { latitude: 53.8, longitude: 8.7 } }],
  dates: [{ date: '2020/2021', type: 'coverage' }],
}

function writtenAs(name: string, about: JsonObject): string {
  const format = exportFormats.find((each) => each.name === name)
  return format?.write(describeDocument(about)) ?? ''
}

describe('metadata that are written and read again say the same', () => {
  it('as a crate', async () => {
    const text = writtenAs('ro-crate', document)
    await using folder = await temporaryFolder({ 'ro-crate-metadata.json': text })
    const { metadata, notTaken } = await readIn(folder.path)

    expect(metadata).toMatchObject(document)
    expect(notTaken).toEqual([])
  })

  it('as XML of DataCite', () => {
    const related = [{ identifier: '10.1234/6', relation: 'Cites', scheme: 'DOI' }]
    const about = {
      ...document,
      related_identifiers: related,
      subjects: [{ subject: 'Sea', scheme: 'X' }],
    }

    expect(fromDataciteXml(writtenAs('datacite-xml', about))).toMatchObject(about)
  })
})

describe('XML', () => {
  it('with comments, CDATA, prefixes and characters by number is read', () => {
    const text =
      '<?xml version="1.0"?><!-- <x> --><d:resource xmlns:d="x"><d:titles>' +
      "<d:title a='>'><![CDATA[<A>]]> &amp; &#66;&#x43; &other;</d:title></d:titles></d:resource>"

    expect(fromDataciteXml(text)).toEqual({ title: '<A> & BC &other;' })
  })

  it.for([
    '<!DOCTYPE x [<!ENTITY a "aa">]><resource/>',
    '<resource>',
    '<resource></x>',
    '<resource/><resource/>',
    '<a/>',
    'text',
    '<!--'.repeat(20_000),
    '<!-->'.repeat(20_000),
    '<a b="'.repeat(20_000),
    `<resource ${'a'.repeat(100_000)}`,
    '<resource>'.repeat(20_000),
  ])('that is not that of DataCite, or not well-formed, has none: %#', (text) => {
    expect(fromDataciteXml(text)).toBeUndefined()
  })
})

it('a crate without a license has none in the metadata', async () => {
  const text = writtenAs('ro-crate', { title: 'x' })
  await using folder = await temporaryFolder({ 'ro-crate-metadata.json': text })

  expect((await readIn(folder.path)).metadata).not.toHaveProperty('license')
})
