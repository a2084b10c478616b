import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import jsonld from 'jsonld'
import { Parser, Writer } from 'n3'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { validateXML } from 'xmllint-wasm'
import { dcatXml, exportFormats, type Description } from '../../core/index.ts'
import { describeDocument } from '../support/describe-document.ts'
import { hostileSamples } from '../support/hostile-documents.ts'

const runs = Number(process.env['DEPOSIT_TEST_RUNS'] ?? 500)
const samples = fc.sample(hostileSamples, { numRuns: runs, seed: 17 })
const described = samples.map(({ document, keys }) =>
  describeDocument(document, [...new Set(keys)]),
)

const beside = new URL('../../../shared/data/standards/', import.meta.url)
const own = new URL('../standards/', import.meta.url)

describe('every writer', () => {
  it.for(exportFormats)('writes any record as $name, the same each time', ({ write, styles }) => {
    for (const about of described) {
      for (const style of styles ?? [undefined]) {
        const text = write(about, style)
        expect(text.isWellFormed()).toBe(true)
        expect(text.length).toBeGreaterThan(0)
        expect(write(about, style)).toBe(text)
      }
    }
  })

  it.for(['datacite-xml', 'bibtex', 'ris', 'citation', 'dublin-core', 'cff', 'dcat'])(
    'writes no control characters into %s',
    (name) => {
      for (const text of written(name)) {
        expect(/(?![\t\n\r])\p{Cc}/u.test(text)).toBe(false)
      }
    },
  )
})

describe('XML', () => {
  withSchemas('datacite-4.7/metadata.xsd')(
    'of DataCite follows the schema of version 4.7',
    { timeout: 120_000 },
    async () => {
      expect(await faultsOfXml('datacite-xml', 'datacite-4.7/metadata.xsd')).toEqual([])
    },
  )

  withSchemas('datacite-4.7/metadata.xsd')('is refused where it does not', async () => {
    const [about = describeDocument({})] = described
    const wrong = { ...about, language: 'not a language' }
    const faults = await faultsOfXml('datacite-xml', 'datacite-4.7/metadata.xsd', [wrong])
    expect(faults.join()).toContain('language')
  })

  withSchemas('oai_dc.xsd')('of Dublin Core follows oai_dc', { timeout: 120_000 }, async () => {
    expect(await faultsOfXml('dublin-core', 'oai_dc.xsd')).toEqual([])
  })
})

describe('JSON', () => {
  it('of CSL follows csl-data.json', () => {
    const check = new Ajv({ strict: false }).compile(schemaOf(own, 'csl-data.json'))
    for (const text of written('csl-json')) {
      expect([check([JSON.parse(text)]), check.errors]).toEqual([true, null])
    }
  })

  it('of a data package follows its profile 2.0', () => {
    const ajv = new Ajv({ strict: false, formats: { textarea: true } })
    addFormats.default(ajv)
    const check = ajv.compile(schemaOf(own, 'datapackage-2.0.json'))
    for (const text of written('datapackage')) {
      const descriptor = JSON.parse(text) as { readonly resources: readonly { name: string }[] }
      expect([check(descriptor), check.errors]).toEqual([true, null])
      const names = descriptor.resources.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  withSchemas('cff-1.2.0.json')('of a CITATION.cff follows version 1.2.0', () => {
    const ajv = new Ajv2019({ strict: false, validateSchema: false })
    addFormats.default(ajv)
    const { $schema, ...schema } = schemaOf(beside, 'cff-1.2.0.json')
    expect($schema).toContain('draft-07')
    const check = ajv.compile(schema)
    for (const text of written('cff')) {
      expect([check(parseYaml(text)), check.errors]).toEqual([true, null])
    }
  })
})

describe('linked data', () => {
  it('in DCAT is read by N3', () => {
    for (const text of written('dcat')) {
      expect(new Parser().parse(text).length).toBeGreaterThan(10)
    }
  })

  it('in DCAT names language, type and place in terms that others know', () => {
    const document = {
      language: 'de-AT',
      resource_type: 'software',
      locations: [
        { place: 'Cuxhaven', point: { latitude: 53.8, longitude: -8.7 } },
        { box: { west: 7, east: 9, south: 53, north: 54.5 } },
      ],
    }
    const [text = ''] = written('dcat', [describeDocument(document)])
    const said = new Parser()
      .parse(text)
      .map(({ predicate, object }) => `${predicate.value.split(/[/#]/).at(-1)} ${object.value}`)

    expect(said).toEqual(
      expect.arrayContaining([
        'language http://id.loc.gov/vocabulary/iso639-1/de',
        'type http://purl.org/dc/dcmitype/Software',
        'label Cuxhaven',
        'centroid POINT(-8.7 53.8)',
        'bbox POLYGON((7 54.5, 9 54.5, 9 53, 7 53, 7 54.5))',
      ]),
    )
    expect(
      written('dcat', [describeDocument({ resource_type: 'award', language: 'x' })])[0],
    ).not.toMatch(/dct:(?:type|language|spatial)/)
  })

  const hasRapper = spawnSync('rapper', ['--version']).error === undefined
  if (!hasRapper) process.stderr.write('SKIPPED: there is no rapper (Debian: raptor2-utils).\n')

  it.skipIf(!hasRapper)(
    'in RDF/XML is read by Raptor into the statements of the Turtle',
    { timeout: 120_000 },
    async () => {
      for (const about of described.slice(0, 50)) {
        const [turtle, xml] = [written('dcat', [about]).join(''), dcatXml.write(about)]
        const options = ['--quiet', '--input', 'rdfxml', '--output', 'ntriples', '-', about.url]
        const { stdout, stderr } = spawnSync('rapper', options, { input: xml, encoding: 'utf8' })
        expect(stderr).toBe('')
        const read = spawnSync('rapper', ['-qc', '-i', 'turtle', '-', about.url], { input: turtle })
        expect([read.status, read.stderr.toString()]).toEqual([0, ''])
        expect(await canonical(stdout)).toEqual(await canonical(turtle))
      }
    },
  )

  it.for(['schema-org', 'croissant', 'codemeta', 'ro-crate'])(
    'in %s is read as JSON-LD',
    { timeout: 120_000 },
    async (name) => {
      for (const text of written(name).slice(0, 100)) {
        const document = JSON.parse(text) as jsonld.JsonLdDocument
        const quads = await jsonld.toRDF(document, {
          documentLoader,
          format: 'application/n-quads',
        })
        expect(
          new Parser({ format: 'N-Quads' }).parse(quads as unknown as string).length,
        ).toBeGreaterThan(5)
      }
    },
  )
})

/** The statements of a Turtle document, sorted, and with names for nodes that have none. */
async function canonical(turtle: string): Promise<unknown> {
  const writer = new Writer({ format: 'N-Quads' })
  const quads = writer.quadsToString(new Parser().parse(turtle))
  const options = { inputFormat: 'application/n-quads', algorithm: 'URDNA2015' } as const
  return jsonld.canonize(quads as unknown as jsonld.JsonLdDocument, options)
}

/** The texts of a format for all samples. */
function written(name: string, of: readonly Description[] = described): readonly string[] {
  const format = exportFormats.find((each) => each.name === name)
  return of.map((about) => format?.write(about) ?? '')
}

async function faultsOfXml(
  name: string,
  schema: string,
  of = described,
): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: written(name, of).map((contents, at) => ({ fileName: `${at}.xml`, contents })),
    schema: [{ fileName: schema, contents: readFileSync(new URL(schema, beside), 'utf8') }],
    preload: preloaded(),
    maxMemoryPages: 16_384,
  })
  return errors.map(({ rawMessage }) => rawMessage)
}

/** Schemas that other schemas include. */
function preloaded() {
  const folder = new URL('datacite-4.7/include/', beside)
  const includes = readdirSync(folder).map((file) => ({
    fileName: `datacite-4.7/include/${file}`,
    contents: readFileSync(new URL(file, folder), 'utf8'),
  }))
  const others = ['simpledc.xsd'].map((fileName) => ({
    fileName,
    contents: readFileSync(new URL(fileName, beside), 'utf8'),
  }))
  return [...includes, ...others]
}

function schemaOf(folder: URL, name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, unknown>
}

/** A test that needs a schema whose licence forbids a copy in this repository. */
function withSchemas(name: string) {
  if (existsSync(new URL(name, beside))) return it
  process.stderr.write(`SKIPPED: there is no ../shared/data/standards/${name} to validate by.\n`)
  return it.skip
}

/** Loads contexts without the network: terms without their own context are those of schema.org. */
async function documentLoader(url: string) {
  const crate = new URL('ro-crate-1.2-context.jsonld', beside)
  const isCrate = url.includes('/ro/crate/') && existsSync(crate)
  const document: unknown = isCrate
    ? JSON.parse(readFileSync(crate, 'utf8'))
    : { '@context': { '@vocab': 'https://schema.org/' } }
  return { documentUrl: url, document: document as jsonld.NodeObject, contextUrl: undefined }
}
