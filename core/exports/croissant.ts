import type { Description } from '../describe/description.ts'
import { cite } from './citation.ts'
import { some, toJsonText, untitled, type ExportFormat } from './format.ts'
import { toAgent, toOrganization } from './schema-org.ts'

const profile = 'http://mlcommons.org/croissant/1.1'

/** A data set for machine learning, without the structure of its files. @see https://docs.mlcommons.org/croissant/ */
export const croissant: ExportFormat = {
  name: 'croissant',
  title: 'Croissant',
  mediaTypes: [`application/ld+json; profile="${profile}"`],
  profile,
  suffix: '-croissant',
  extension: '.json',
  write: (about) => toJsonText(toCroissant(about)),
}

const ofCroissant = `citeAs column examples extract field fileProperty fileObject fileSet format
  includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated
  replace separator source subField transform`.split(/\s+/)

/** The terms as the format has them; readers compare the block as a whole. */
const context = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  ...Object.fromEntries(ofCroissant.map((term) => [term, `cr:${term}`])),
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  sc: 'https://schema.org/',
}

function toCroissant(about: Description) {
  const { title = untitled } = about
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    '@id': about.citedAs,
    conformsTo: profile,
    name: title,
    description: about.description ?? title,
    url: about.url,
    license: about.rights && (about.rights.url ?? about.rights.name),
    creator: some(about.creators.map(toAgent)),
    publisher: toOrganization(about.publisher),
    datePublished: about.date,
    dateModified: about.modified,
    version: about.version,
    inLanguage: about.language,
    keywords: some(about.keywords),
    citeAs: cite(about, 'apa'),
    distribution: some(
      about.files.map(({ key, size, mediaType, sha256, url }) => ({
        '@type': 'cr:FileObject',
        '@id': url,
        name: key,
        contentUrl: url,
        contentSize: `${size} B`,
        encodingFormat: mediaType,
        sha256,
      })),
    ),
  }
}
