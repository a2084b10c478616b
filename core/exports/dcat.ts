import type {
  Agent,
  Description,
  DescribedFile,
  Location,
  Organization,
} from '../describe/description.ts'
import { untitled, type ExportFormat } from './format.ts'
import { toRdfXml, toTurtle, type RdfNode, type RdfTerm, type Statement, type Term } from './rdf.ts'

/** @see DCAT-AP 3.0, https://semiceu.github.io/DCAT-AP/ */
export const dcat: ExportFormat = {
  name: 'dcat',
  title: 'DCAT (Turtle)',
  mediaTypes: ['text/turtle'],
  profile: 'http://data.europa.eu/r5r/',
  extension: '.ttl',
  write: (about) => toTurtle(toNodes(about)),
}

/** The same statements for protocols that carry XML. */
export const dcatXml: ExportFormat = {
  name: 'dcat-xml',
  title: 'DCAT (RDF/XML)',
  mediaTypes: ['application/rdf+xml'],
  profile: 'http://data.europa.eu/r5r/',
  extension: '.rdf',
  write: (about) => toRdfXml(toNodes(about)),
}

function toNodes(about: Description): readonly RdfNode[] {
  return [
    { iri: about.citedAs, statements: toDataset(about) },
    ...about.files.map((file) => ({
      iri: distributionOf(file),
      statements: toDistribution(about, file),
    })),
    {
      iri: about.catalog.url,
      statements: [
        ['rdf:type', { term: 'dcat:Catalog' }],
        ['dct:title', text(about.catalog.name)],
        ['dcat:dataset', iri(about.citedAs)],
      ],
    },
  ]
}

function toDataset(about: Description): readonly Statement[] {
  const { title = untitled } = about
  return [
    ['rdf:type', { term: 'dcat:Dataset' }],
    ['dct:title', text(title)],
    ['dct:description', text(about.description ?? title)],
    ['dct:identifier', text(about.doi ?? about.url)],
    ['dct:issued', dateLiteral(about.date)],
    ['dct:modified', text(about.modified, 'xsd:dateTime')],
    ...about.creators.map((agent): Statement => ['dct:creator', agentNode(agent)]),
    ...about.contributors.map((agent): Statement => ['dct:contributor', agentNode(agent)]),
    ['dct:publisher', organizationNode(about.publisher)],
    ...about.keywords.map((keyword): Statement => ['dcat:keyword', text(keyword)]),
    ...about.subjects.map(({ subject, url }): Statement =>
      url === undefined ? ['dcat:keyword', text(subject)] : ['dct:subject', iri(url)],
    ),
    ['dcat:version', maybe(about.version)],
    ['dct:type', address(typeOf(about))],
    ['dct:language', address(languageOf(about))],
    ...about.locations.map((location): Statement => ['dct:spatial', locationNode(location)]),
    ['dcat:landingPage', iri(about.url)],
    ['dct:accessRights', iri(accessRight(about))],
    ['dct:license', address(about.rights?.url)],
    ...about.dates
      .filter(({ type }) => type === 'Coverage')
      .map(({ date }): Statement => ['dct:temporal', periodNode(date)]),
    ...about.relations.flatMap(({ relation, url }): readonly Statement[] =>
      url === undefined ? [] : [[relationTerms.get(relation) ?? 'dct:relation', iri(url)]],
    ),
    ['dcat:isVersionOf', address(about.concept)],
    ['dcat:previousVersion', address(about.previous)],
    ['dcat:nextVersion', address(about.next)],
    ['dct:replaces', address(about.previous)],
    ['dct:isReplacedBy', address(about.next)],
    ['prov:generatedAtTime', text(about.created, 'xsd:dateTime')],
    ...about.files.map((file): Statement => ['dcat:distribution', iri(distributionOf(file))]),
  ]
}

function toDistribution(
  { url: page, rights }: Description,
  { key, size, mediaType, sha256, url }: DescribedFile,
): readonly Statement[] {
  return [
    ['rdf:type', { term: 'dcat:Distribution' }],
    ['dct:title', text(key)],
    ['dcat:accessURL', iri(page)],
    ['dcat:downloadURL', iri(url)],
    ['dcat:byteSize', text(String(size), 'xsd:nonNegativeInteger')],
    ['dcat:mediaType', iri(`https://www.iana.org/assignments/media-types/${mediaType}`)],
    ['dct:license', address(rights?.url)],
    [
      'spdx:checksum',
      {
        statements: [
          ['rdf:type', { term: 'spdx:Checksum' }],
          ['spdx:algorithm', { term: 'spdx:checksumAlgorithm_sha256' }],
          ['spdx:checksumValue', text(sha256, 'xsd:hexBinary')],
        ],
      },
    ],
  ]
}

/** DataCite's relations in terms of Dublin Core and PROV; the others are relations and no more. */
const relationTerms: ReadonlyMap<string, Term> = new Map<string, Term>([
  ['Cites', 'dct:references'],
  ['HasPart', 'dct:hasPart'],
  ['HasVersion', 'dcat:hasVersion'],
  ['IsCitedBy', 'dct:isReferencedBy'],
  ['IsDerivedFrom', 'prov:wasDerivedFrom'],
  ['IsNewVersionOf', 'dct:replaces'],
  ['IsPartOf', 'dct:isPartOf'],
  ['IsPreviousVersionOf', 'dct:isReplacedBy'],
  ['IsReferencedBy', 'dct:isReferencedBy'],
  ['IsVersionOf', 'dct:isVersionOf'],
  ['Obsoletes', 'dct:replaces'],
  ['References', 'dct:references'],
  ['Requires', 'dct:requires'],
])

/**
 * DataCite's general types in the terms of Dublin Core, which DCAT recommends; a work of another type
 * is a text.
 *
 * @see https://www.w3.org/TR/vocab-dcat-3/#Property:resource_type
 */
const dublinCoreTypes: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'MovingImage'],
  ['Collection', 'Collection'],
  ['ComputationalNotebook', 'Software'],
  ['Dataset', 'Dataset'],
  ['Event', 'Event'],
  ['Image', 'Image'],
  ['InteractiveResource', 'InteractiveResource'],
  ['Model', 'Dataset'],
  ['PhysicalObject', 'PhysicalObject'],
  ['Poster', 'StillImage'],
  ['Service', 'Service'],
  ['Software', 'Software'],
  ['Sound', 'Sound'],
])

/** None of these is a text. */
const withoutType: ReadonlySet<string> = new Set([
  'Award',
  'Instrument',
  'Other',
  'Project',
  'Workflow',
])

function typeOf({ resourceType }: Description): string | undefined {
  if (resourceType === undefined || withoutType.has(resourceType.general)) return undefined
  return `http://purl.org/dc/dcmitype/${dublinCoreTypes.get(resourceType.general) ?? 'Text'}`
}

/**
 * The language as the Library of Congress names it.
 *
 * @see https://www.w3.org/TR/vocab-dcat-3/#Property:resource_language
 */
function languageOf({ language = '' }: Description): string | undefined {
  const code = language.split('-')[0]?.toLowerCase() ?? ''
  const part = { 2: 'iso639-1', 3: 'iso639-2' }[code.length]
  return part === undefined ? undefined : `http://id.loc.gov/vocabulary/${part}/${code}`
}

function locationNode({ place, point, box }: Location): RdfTerm {
  return blank([
    ['rdf:type', { term: 'dct:Location' }],
    ['rdfs:label', maybe(place)],
    ['dcat:centroid', point && geometry(`POINT(${point.longitude} ${point.latitude})`)],
    ['dcat:bbox', box && geometry(areaOf(box))],
  ])
}

/** Of a box across the date line, its two halves. */
function areaOf(box: NonNullable<Location['box']>): string {
  if (box.west <= box.east) return `POLYGON((${cornersOf(box)}))`
  const halves = [
    { ...box, east: 180 },
    { ...box, west: -180 },
  ]
  return `MULTIPOLYGON(${halves.map((half) => `((${cornersOf(half)}))`).join(', ')})`
}

function cornersOf({ west, east, south, north }: NonNullable<Location['box']>): string {
  return [
    [west, north],
    [east, north],
    [east, south],
    [west, south],
    [west, north],
  ]
    .map((corner) => corner.join(' '))
    .join(', ')
}

function geometry(value: string): RdfTerm {
  return text(value, 'geo:wktLiteral')
}

function accessRight({ access }: Description): string {
  const kind = access.files === 'public' ? 'PUBLIC' : 'RESTRICTED'
  return `http://publications.europa.eu/resource/authority/access-right/${kind}`
}

function agentNode({ name, isPerson, orcid, family, given }: Agent): RdfTerm {
  return blank([
    ['rdf:type', { term: isPerson ? 'foaf:Person' : 'foaf:Agent' }],
    ['foaf:name', text(name)],
    ['foaf:familyName', maybe(family)],
    ['foaf:givenName', maybe(given)],
    ['dct:identifier', maybe(orcid)],
  ])
}

function organizationNode({ name, ror }: Organization): RdfTerm {
  return blank([
    ['rdf:type', { term: 'foaf:Organization' }],
    ['foaf:name', text(name)],
    ['dct:identifier', maybe(ror)],
  ])
}

function periodNode(date: string): RdfTerm {
  const [start = '', end = start] = date.split('/')
  return blank([
    ['rdf:type', { term: 'dct:PeriodOfTime' }],
    ['dcat:startDate', start ? dateLiteral(start) : undefined],
    ['dcat:endDate', end ? dateLiteral(end) : undefined],
  ])
}

function distributionOf({ url }: DescribedFile): string {
  return `${url}#distribution`
}

function blank(statements: readonly Statement[]): RdfTerm {
  return { statements }
}

/** A day, a month or a year. */
function dateLiteral(date: string): RdfTerm {
  const types = ['gYear', 'gYearMonth', 'date']
  return text(date, `xsd:${types[date.split('-').length - 1] ?? 'date'}`)
}

function iri(url: string): RdfTerm {
  return { iri: url }
}

function address(url: string | undefined): RdfTerm | undefined {
  return url === undefined ? undefined : iri(url)
}

function text(value: string, type?: Term): RdfTerm {
  return { text: value, ...(type && { type }) }
}

function maybe(value: string | undefined): RdfTerm | undefined {
  return value === undefined || value === '' ? undefined : text(value)
}
