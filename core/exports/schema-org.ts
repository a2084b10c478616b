import type {
  Agent,
  Description,
  DescribedFile,
  Funding,
  Location,
  Organization,
  Relation,
} from '../describe/description.ts'
import { some, toJsonText, untitled, type ExportFormat } from './format.ts'

/** @see https://schema.org/Dataset, https://developers.google.com/search/docs/appearance/structured-data/dataset */
export const schemaOrg: ExportFormat = {
  name: 'schema-org',
  title: 'JSON-LD (schema.org)',
  mediaTypes: ['application/ld+json', 'application/vnd.schemaorg.ld+json'],
  profile: 'https://schema.org/',
  extension: '.jsonld',
  write: (about) => toJsonText({ '@context': 'https://schema.org', ...toSchemaOrg(about) }),
}

/** The record in terms of schema.org, without a context. */
export function toSchemaOrg(about: Description) {
  const { doi, url, access, rights } = about
  const relations = [...about.versions, ...about.relations]
  const isPublic = access.files === 'public'
  return {
    '@type': schemaType(about),
    '@id': about.citedAs,
    url,
    identifier: [
      ...(doi === undefined
        ? []
        : [property('https://registry.identifiers.org/registry/doi', doi, about.citedAs)]),
      property('URL', url, url),
      ...about.alternateIdentifiers.map(({ identifier, scheme, url: at }) =>
        property(scheme, identifier, at),
      ),
    ],
    name: about.title ?? untitled,
    description: about.description,
    creator: some(about.creators.map(toAgent)),
    contributor: some(about.contributors.map(toAgent)),
    publisher: toOrganization(about.publisher),
    datePublished: about.date,
    dateCreated: firstDate(about, 'Created'),
    dateModified: about.modified,
    temporalCoverage: firstDate(about, 'Coverage') ?? firstDate(about, 'Collected'),
    spatialCoverage: some(about.locations.map(toPlace)),
    inLanguage: about.language,
    version: about.version,
    license: rights && (rights.url ?? rights.name),
    keywords: some([...about.keywords, ...about.subjects.map(toTerm)]),
    measurementTechnique: about.methods,
    funding: some(about.funding.map(toGrant)),
    isAccessibleForFree: isPublic,
    conditionsOfAccess: accessRight(about),
    ...Object.fromEntries(
      [...Map.groupBy(relations, ({ relation }) => schemaRelations.get(relation))].flatMap(
        ([term, related]) => (term === undefined ? [] : [[term, related.map(toWork)]]),
      ),
    ),
    citation: some([
      ...relations.filter(({ relation }) => citing.has(relation)).map(toWork),
      ...about.references,
    ]),
    includedInDataCatalog: {
      '@type': 'DataCatalog',
      name: about.catalog.name,
      url: about.catalog.url,
    },
    distribution: some(about.files.map(toDownload)),
  }
}

/** A type of schema.org. A deposit without a resource type is a data set. */
export function schemaType({ resourceType }: Pick<Description, 'resourceType'>): string {
  if (!resourceType) return 'Dataset'
  return schemaTypes.get(resourceType.general) ?? 'CreativeWork'
}

const schemaTypes: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'VideoObject'],
  ['Book', 'Book'],
  ['BookChapter', 'Chapter'],
  ['Collection', 'Collection'],
  ['ComputationalNotebook', 'SoftwareSourceCode'],
  ['ConferencePaper', 'ScholarlyArticle'],
  ['DataPaper', 'ScholarlyArticle'],
  ['Dataset', 'Dataset'],
  ['Dissertation', 'Thesis'],
  ['Event', 'Event'],
  ['Image', 'ImageObject'],
  ['JournalArticle', 'ScholarlyArticle'],
  ['Poster', 'Poster'],
  ['Preprint', 'ScholarlyArticle'],
  ['Presentation', 'PresentationDigitalDocument'],
  ['Report', 'Report'],
  ['Software', 'SoftwareSourceCode'],
  ['Sound', 'AudioObject'],
])

/** Relations that are terms of schema.org; the others have none. */
const schemaRelations: ReadonlyMap<string, string> = new Map([
  ['HasPart', 'hasPart'],
  ['IsDerivedFrom', 'isBasedOn'],
  ['IsDescribedBy', 'subjectOf'],
  ['IsDocumentedBy', 'subjectOf'],
  ['IsIdenticalTo', 'sameAs'],
  ['IsNewVersionOf', 'isBasedOn'],
  ['IsPartOf', 'isPartOf'],
  ['IsPublishedIn', 'isPartOf'],
  ['IsVersionOf', 'exampleOfWork'],
  ['IsTranslationOf', 'translationOfWork'],
  ['HasTranslation', 'workTranslation'],
])

const citing: ReadonlySet<string> = new Set(['Cites', 'References', 'IsSupplementTo'])

/** @see http://purl.org/coar/access_right */
function accessRight({ access }: Description): string {
  if (access.files === 'public') return 'http://purl.org/coar/access_right/c_abf2'
  return `http://purl.org/coar/access_right/${access.until === undefined ? 'c_16ec' : 'c_f1cf'}`
}

function property(propertyID: string | undefined, value: string, url: string | undefined) {
  return { '@type': 'PropertyValue', propertyID, value, url }
}

export function toAgent({ name, isPerson, family, given, orcid, affiliations }: Agent) {
  return {
    '@type': isPerson ? 'Person' : 'Organization',
    '@id': orcid,
    name,
    givenName: given,
    familyName: family,
    sameAs: orcid,
    affiliation: some(affiliations.map(toOrganization)),
  }
}

export function toOrganization({ name, ror }: Organization) {
  return { '@type': 'Organization', '@id': ror, name }
}

function toTerm({ subject, scheme, url }: Description['subjects'][number]) {
  if (scheme === undefined && url === undefined) return subject
  return { '@type': 'DefinedTerm', '@id': url, name: subject, inDefinedTermSet: scheme }
}

export function toGrant({ funder, funderId, award, awardTitle, awardUrl }: Funding) {
  return {
    '@type': 'Grant',
    identifier: award,
    name: awardTitle,
    url: awardUrl,
    funder: { '@type': 'Organization', '@id': funderId, name: funder },
  }
}

export function toPlace({ place, point, box }: Location) {
  return {
    '@type': 'Place',
    name: place,
    geo: point
      ? { '@type': 'GeoCoordinates', ...point }
      : box && { '@type': 'GeoShape', box: `${box.south} ${box.west} ${box.north} ${box.east}` },
  }
}

function toWork({ identifier, scheme, url }: Relation) {
  return {
    '@type': 'CreativeWork',
    '@id': url,
    url,
    identifier: scheme === undefined ? identifier : property(scheme, identifier, undefined),
  }
}

function toDownload({ key, size, mediaType, url, sha256 }: DescribedFile) {
  return {
    '@type': 'DataDownload',
    name: key,
    encodingFormat: mediaType,
    contentUrl: url,
    contentSize: String(size),
    sha256,
  }
}

function firstDate({ dates }: Description, type: string): string | undefined {
  return dates.find((event) => event.type === type)?.date
}
