import { Parser, type Quad } from 'n3'
import { describe, expect, it } from 'vitest'
import { discoveryRules } from '../../core/contract/discovery-advice.ts'
import { findMissing } from '../../core/contract/metadata-advice.ts'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { dataciteXml } from '../../core/exports/datacite-xml.ts'
import { dcat } from '../../core/exports/dcat.ts'
import { schemaOrg } from '../../core/exports/schema-org.ts'
import type { JsonObject } from '../../core/index.ts'
import { describeDocument } from '../support/describe-document.ts'

/** A record as a harvester sees it. */
interface Harvested {
  /** The JSON-LD of its page. */
  readonly page: Readonly<Record<string, unknown>>
  /** The page's text, to search. */
  readonly text: string
  readonly dcat: readonly Quad[]
  readonly datacite: string
}

interface Rule {
  readonly name: string
  readonly isMet: (record: Harvested) => boolean
  /** Fields of the document that it depends on; none for a rule that the service keeps by itself. */
  readonly fields: readonly string[]
}

const rule = (name: string, fields: string, isMet: Rule['isMet']): Rule => ({
  name,
  fields: fields.split(' ').filter(Boolean),
  isMet,
})
const has =
  (...terms: readonly string[]): Rule['isMet'] =>
  ({ page }) =>
    terms.every((term) => page[term] !== undefined)
/** A record is at least a part of the service's catalogue. */
const related = ['isPartOf', 'isBasedOn', 'citation', 'sameAs', 'includedInDataCatalog']

/**
 * The rules that a machine can judge. The page, its links and negotiation are those of the
 * interface; F-UJI's FsF-R1.3-02D depends on the formats of the files, which `check` cannot know.
 */
const rules: readonly Rule[] = [
  rule('FsF-F1-01MD: a unique identifier', '', ({ text }) => text.includes('"PropertyValue"')),
  rule('FsF-F1-02MD: a persistent identifier', 'doi', ({ page }) =>
    String(page['@id']).startsWith('https://doi.org/10.'),
  ),
  rule('FsF-F2-01M: core metadata to cite it', 'title creators', (record) => {
    const terms = ['creator', 'identifier', 'datePublished', 'publisher', '@type']
    return has(...terms)(record) && record.page['name'] !== 'Untitled'
  }),
  rule('FsF-F2-01M: summary and keywords', 'description keywords', has('description', 'keywords')),
  rule('FsF-F3-01M: the address of each file', '', ({ text }) =>
    text.includes('"contentUrl":"https://'),
  ),
  rule('FsF-A1-01M: the level of access', '', ({ page }) =>
    String(page['conditionsOfAccess']).startsWith('http://purl.org/coar/access_right/c_'),
  ),
  rule('FsF-I2-01M: terms of registered vocabularies', '', ({ dcat: quads }) =>
    ['http://www.w3.org/ns/dcat#', 'http://purl.org/dc/terms/'].every((namespace) =>
      quads.some(({ predicate }) => predicate.value.startsWith(namespace)),
    ),
  ),
  rule('FsF-I3-01M: related works with their relation', '', ({ page }) =>
    related.some((term) => page[term] !== undefined),
  ),
  rule('FsF-R1-01M: type of the record, size and type of each file', '', ({ page, text }) => {
    return page['@type'] === 'Dataset' && /"encodingFormat":"[^"]+".*"contentSize":"\d+"/.test(text)
  }),
  rule('FsF-R1.1-01M: a license of the SPDX list', 'license', ({ page }) =>
    String(page['license']).startsWith('https://spdx.org/licenses/'),
  ),
  rule('FsF-R1.2-01M: where it comes from', '', ({ dcat: quads }) =>
    quads.some(({ predicate }) => predicate.value === 'http://www.w3.org/ns/prov#generatedAtTime'),
  ),
  rule('FsF-R1.3-01M: a standard of the community', '', ({ datacite }) =>
    datacite.includes('xmlns="http://datacite.org/schema/kernel-4"'),
  ),
  rule('Google: name', 'title', ({ page }) => page['name'] !== 'Untitled'),
  rule('Google: description of 50 to 5,000 characters', 'description', ({ page }) => {
    const { description } = page
    return typeof description === 'string' && /^.{50,5000}$/su.test(description)
  }),
  rule('Google: creator', 'creators', has('creator')),
  rule('Google: license', 'license', has('license')),
  rule('Google: keywords', 'keywords', has('keywords')),
  rule('Google: the rest of a data set', '', (record) =>
    has(
      'identifier',
      'url',
      'isAccessibleForFree',
      'includedInDataCatalog',
      'distribution',
    )(record),
  ),
]

const full: JsonObject = {
  title: 'Hourly water levels at the north pier, March 2026',
  creators: [{ name: 'Carberry, Josiah', orcid: '0000-0002-1825-0097' }],
  description: 'Two weeks of hourly water levels from a radar tide gauge.',
  publication_date: '2026-03-16',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['tide gauge', 'sea level'],
  doi: '10.5281/zenodo.1234567',
}

/** The service fills in the day and the type; a DOI is a matter of its operator. */
const filledIn = ['publication_date', 'resource_type']
const ofOperator = 'doi'

describe('the rules of F-UJI and of Google Dataset Search', () => {
  it.for(rules)('are kept by a record with full metadata: $name', ({ isMet }) => {
    expect(isMet(harvest(full))).toBe(true)
  })

  it('that a bare record breaks are those that publishing warns of', () => {
    const broken = new Set(brokenBy({}).flatMap(({ fields }) => fields))

    expect([...broken].filter((field) => field !== ofOperator).sort()).toEqual(
      warnedOf({}).filter((field) => !filledIn.includes(field)),
    )
    expect(brokenBy({}).filter(({ fields }) => fields.length === 0)).toEqual([])
  })

  it.for(Object.keys(full))('need the field %s, and publishing warns of it alone', (field) => {
    const { [field]: left, ...rest } = full
    const needing = rules.filter(({ fields }) => fields.includes(field))

    expect(left).toBeDefined()
    expect(brokenBy(rest)).toEqual(needing)
    expect(warnedOf(rest)).toEqual(field === ofOperator ? [] : [field])
    expect(needing.length > 0).toBe(!filledIn.includes(field))
  })
})

describe('a warning before publishing', () => {
  it('says how long a description may be', () => {
    const messageOf = (description: string) =>
      warningsOf({ ...full, description }).map(({ message }) => message)

    expect(messageOf('x'.repeat(50))).toEqual([])
    expect(messageOf('x'.repeat(5000))).toEqual([])
    expect(messageOf(' x ')).toEqual([
      'The description has 1 character; Google Dataset Search takes 50 to 5,000.',
    ])
    expect(messageOf('x'.repeat(5001))).toEqual([
      'The description has 5,001 characters; Google Dataset Search takes 50 to 5,000.',
    ])
  })

  it('is not given for a field that the schema does not have', () => {
    const { properties } = packageSchemas['deposit-v1.0.0.json'] as { readonly properties: object }
    const [none, all] = [{}, properties].map((known) => findMissing({ properties: known }, {}))

    expect(none).toEqual([])
    expect(all).toHaveLength(discoveryRules.length - 1)
  })
})

function harvest(document: JsonObject): Harvested {
  const about = describeDocument(document, ['levels.csv'])
  const text = schemaOrg.write(about)
  const page = JSON.parse(text) as Harvested['page']
  return {
    page,
    text: JSON.stringify(page),
    dcat: new Parser().parse(dcat.write(about)),
    datacite: dataciteXml.write(about),
  }
}

function brokenBy(document: JsonObject): readonly Rule[] {
  const record = harvest(document)
  return rules.filter(({ isMet }) => !isMet(record))
}

function warningsOf(document: JsonObject) {
  return findMissing({ ...packageSchemas['deposit-v1.0.0.json'] }, document)
}

function warnedOf(document: JsonObject): readonly string[] {
  return warningsOf(document)
    .map(({ field }) => field.slice(1))
    .sort()
}
