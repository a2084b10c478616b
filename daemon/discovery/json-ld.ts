import type { Bibliography, Creator } from './bibliography.ts'
import type { RecordFile } from './files.ts'

/** The record as schema.org data for search engines. @see https://schema.org/Dataset */
export function toJsonLd(about: Bibliography, files: readonly RecordFile[]): object {
  return {
    '@context': 'https://schema.org',
    '@type': schemaType(about),
    '@id': about.url,
    url: about.url,
    identifier: about.value,
    name: about.title,
    description: about.description || undefined,
    datePublished: about.date,
    inLanguage: about.language || undefined,
    version: about.version || undefined,
    license: about.license?.url,
    keywords: about.keywords.length > 0 ? about.keywords : undefined,
    creator: about.creators.map(toAgent),
    distribution: files.map(({ name, bytes, mediaType, download, sha256 }) => ({
      '@type': 'DataDownload',
      name,
      encodingFormat: mediaType,
      contentUrl: download,
      contentSize: String(bytes),
      sha256,
    })),
  }
}

/** A type of schema.org. What is not said to be something else is a data set: it was deposited. */
export function schemaType({ resourceType }: Pick<Bibliography, 'resourceType'>): string {
  if (resourceType === '') return 'Dataset'
  return schemaTypes.get(resourceType) ?? 'CreativeWork'
}

/** A creator with a family name or an ORCID iD is a person; others get no type. */
function toAgent({ name, given, family, orcid, affiliation }: Creator): object {
  const isPerson = family !== undefined || orcid !== undefined
  return {
    ...(isPerson && { '@type': 'Person' }),
    '@id': orcid,
    name,
    givenName: given,
    familyName: family,
    affiliation: affiliation ? { '@type': 'Organization', name: affiliation } : undefined,
  }
}

/** DataCite's resource types in the words of schema.org. */
const schemaTypes: ReadonlyMap<string, string> = new Map([
  ['audiovisual', 'VideoObject'],
  ['book', 'Book'],
  ['bookchapter', 'Chapter'],
  ['collection', 'Collection'],
  ['computationalnotebook', 'SoftwareSourceCode'],
  ['conferencepaper', 'ScholarlyArticle'],
  ['dataset', 'Dataset'],
  ['dissertation', 'Thesis'],
  ['event', 'Event'],
  ['image', 'ImageObject'],
  ['journalarticle', 'ScholarlyArticle'],
  ['preprint', 'ScholarlyArticle'],
  ['report', 'Report'],
  ['software', 'SoftwareSourceCode'],
  ['sound', 'AudioObject'],
])
