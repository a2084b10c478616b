import type { Agent, Description, DescribedFile, Organization } from '../describe/description.ts'
import { untitled, type ExportFormat } from './format.ts'

/** @see DCAT-AP 3.0, https://semiceu.github.io/DCAT-AP/ */
export const dcat: ExportFormat = {
  name: 'dcat',
  title: 'DCAT (Turtle)',
  mediaTypes: ['text/turtle'],
  profile: 'http://data.europa.eu/r5r/',
  extension: '.ttl',
  write: (about) =>
    [
      ...Object.entries(prefixes).map(([name, url]) => `@prefix ${name}: <${url}> .`),
      '',
      node(iri(about.citedAs), toDataset(about)),
      ...about.files.map((file) => node(distributionOf(file), toDistribution(about, file))),
      node(iri(about.catalog.url), [
        ['a', 'dcat:Catalog'],
        ['dct:title', text(about.catalog.name)],
        ['dcat:dataset', iri(about.citedAs)],
      ]),
      '',
    ].join('\n'),
}

const prefixes = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  prov: 'http://www.w3.org/ns/prov#',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

type Statement = readonly [predicate: string, object: string | undefined]

function toDataset(about: Description): readonly Statement[] {
  const { title = untitled } = about
  const event = about.dates.find(({ type }) => type === 'Coverage' || type === 'Collected')
  return [
    ['a', 'dcat:Dataset'],
    ['dct:title', text(title)],
    ['dct:description', text(about.description ?? title)],
    ['dct:identifier', text(about.doi ?? about.url)],
    ['dct:issued', dateLiteral(about.date)],
    ['dct:modified', `${text(about.updated)}^^xsd:dateTime`],
    ...about.creators.map((agent): Statement => ['dct:creator', agentNode(agent)]),
    ...about.contributors.map((agent): Statement => ['dct:contributor', agentNode(agent)]),
    ['dct:publisher', organizationNode(about.publisher)],
    ...about.keywords.map((keyword): Statement => ['dcat:keyword', text(keyword)]),
    ...about.subjects.map(({ subject, url }): Statement =>
      url === undefined ? ['dcat:keyword', text(subject)] : ['dct:subject', iri(url)],
    ),
    ['dcat:version', about.version && text(about.version)],
    ['dcat:landingPage', iri(about.url)],
    ['dct:accessRights', iri(accessRight(about))],
    ['dct:license', about.rights?.url && iri(about.rights.url)],
    ['dct:temporal', event && periodNode(event.date)],
    ...about.relations.flatMap(({ relation, url }): readonly Statement[] =>
      url === undefined ? [] : [[relationTerms.get(relation) ?? 'dct:relation', iri(url)]],
    ),
    ['dct:replaces', about.previous && iri(about.previous)],
    ['dct:isReplacedBy', about.next && iri(about.next)],
    [
      'prov:wasGeneratedBy',
      `[ a prov:Activity ; prov:endedAtTime ${text(about.created)}^^xsd:dateTime ]`,
    ],
    ...about.files.map((file): Statement => ['dcat:distribution', distributionOf(file)]),
  ]
}

function toDistribution(
  { url: page, rights }: Description,
  { key, size, mediaType, sha256, url }: DescribedFile,
): readonly Statement[] {
  return [
    ['a', 'dcat:Distribution'],
    ['dct:title', text(key)],
    ['dcat:accessURL', iri(page)],
    ['dcat:downloadURL', iri(url)],
    ['dcat:byteSize', `${text(String(size))}^^xsd:nonNegativeInteger`],
    ['dcat:mediaType', iri(`https://www.iana.org/assignments/media-types/${mediaType}`)],
    ['dct:license', rights?.url && iri(rights.url)],
    [
      'spdx:checksum',
      `[ a spdx:Checksum ; spdx:algorithm spdx:checksumAlgorithm_sha256 ; spdx:checksumValue ${text(sha256)}^^xsd:hexBinary ]`,
    ],
  ]
}

/** DataCite's relations in terms of Dublin Core and PROV; the others are relations and no more. */
const relationTerms: ReadonlyMap<string, string> = new Map([
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

function accessRight({ access }: Description): string {
  const kind = access.files === 'public' ? 'PUBLIC' : 'RESTRICTED'
  return `http://publications.europa.eu/resource/authority/access-right/${kind}`
}

function agentNode({ name, isPerson, orcid, family, given }: Agent): string {
  return blank([
    ['a', isPerson ? 'foaf:Person' : 'foaf:Agent'],
    ['foaf:name', text(name)],
    ['foaf:familyName', family && text(family)],
    ['foaf:givenName', given && text(given)],
    ['dct:identifier', orcid && text(orcid)],
  ])
}

function organizationNode({ name, ror }: Organization): string {
  return blank([
    ['a', 'foaf:Organization'],
    ['foaf:name', text(name)],
    ['dct:identifier', ror && text(ror)],
  ])
}

function periodNode(date: string): string {
  const [start = '', end = start] = date.split('/')
  return blank([
    ['a', 'dct:PeriodOfTime'],
    ['dcat:startDate', start ? dateLiteral(start) : undefined],
    ['dcat:endDate', end ? dateLiteral(end) : undefined],
  ])
}

function distributionOf({ url }: DescribedFile): string {
  return iri(`${url}#distribution`)
}

function node(subject: string, statements: readonly Statement[]): string {
  return `\n${subject}\n  ${joined(statements, ' ;\n  ')} .`
}

function blank(statements: readonly Statement[]): string {
  return `[ ${joined(statements, ' ; ')} ]`
}

function joined(statements: readonly Statement[], separator: string): string {
  return statements
    .flatMap(([predicate, object]) => (object ? [`${predicate} ${object}`] : []))
    .join(separator)
}

/** A day, a month or a year. */
function dateLiteral(date: string): string {
  const types = ['gYear', 'gYearMonth', 'date']
  return `${text(date)}^^xsd:${types[date.split('-').length - 1] ?? 'date'}`
}

/** Descriptions hold no address with other characters; an operator's own may. */
function iri(url: string): string {
  const safe = Array.from(url, (letter) =>
    /[\p{Cc}\s<>"{}|^`\\]/u.test(letter) ? encodeURIComponent(letter) : letter,
  )
  return `<${safe.join('')}>`
}

function text(value: string): string {
  return `"${value.replaceAll(/["\\\n\r\t]/g, (character) => escapes.get(character) ?? character)}"`
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])
