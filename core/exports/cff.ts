import { stringify } from 'yaml'
import type { Agent, Description } from '../describe/description.ts'
import { cffLicenses } from './cff-licenses.ts'
import { some, unavailable, untitled, type ExportFormat } from './format.ts'

/** @see https://github.com/citation-file-format/citation-file-format, version 1.2.0 */
export const cff: ExportFormat = {
  name: 'cff',
  title: 'Citation File Format',
  mediaTypes: ['application/yaml'],
  byNameOnly: true,
  filename: 'CITATION.cff',
  extension: '.cff',
  write: (about) => stringify(withoutNothing(toCff(about)), { lineWidth: 0, ...quoted }),
}

/** A version `1.0` and a day are texts for every reader. */
const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const

function toCff(about: Description): Readonly<Record<string, unknown>> {
  const { doi, rights } = about
  const isSoftware = about.resourceType?.general === 'Software'
  const isOwn = rights?.id !== undefined && cffLicenses.has(rights.id)
  return {
    'cff-version': '1.2.0',
    message: `If you use this ${isSoftware ? 'software' : 'dataset'}, please cite it as below.`,
    type: isSoftware ? 'software' : 'dataset',
    title: about.title ?? untitled,
    authors: distinct(about.creators.map(toAuthor)) ?? [{ name: unavailable }],
    abstract: about.description,
    version: about.version,
    'date-released': /^\d{4}-\d{2}-\d{2}$/.test(about.date) ? about.date : undefined,
    doi: isCffDoi(doi) ? doi : undefined,
    license: isOwn ? rights.id : undefined,
    'license-url': isOwn ? undefined : rights?.url,
    keywords: some(about.keywords),
    url: about.standing === 'private' ? undefined : about.url,
    identifiers: distinct(about.alternateIdentifiers.flatMap(toIdentifier)),
    contact: distinct(
      about.contributors.filter(({ role }) => role === 'ContactPerson').map(toAuthor),
    ),
  }
}

/** A person in parts, or a name alone. */
function toAuthor({ name, family, given, suffix, orcid, affiliations }: Agent): object {
  if (family === undefined) return withoutNothing({ name, orcid })
  const affiliation = affiliations.map((each) => each.name).join('; ')
  return withoutNothing({
    'family-names': family,
    'given-names': given,
    'name-suffix': suffix,
    orcid,
    affiliation: affiliation || undefined,
  })
}

function toIdentifier({ identifier, scheme, url }: Description['alternateIdentifiers'][number]) {
  if (scheme === 'DOI' && isCffDoi(identifier)) return [{ type: 'doi', value: identifier }]
  if (scheme === 'URL' && url !== undefined) return [{ type: 'url', value: url }]
  return [{ type: 'other', value: identifier }]
}

/** The format knows fewer characters than DOIs have. */
function isCffDoi(doi: string | undefined): boolean {
  return /^10\.\d{4,9}(?:\.\d+)?\/[\w:/;\-.()[\]\\]+$/.test(doi ?? '')
}

/** Lists of the format hold nothing twice, and are never empty. */
function distinct(items: readonly object[]): readonly object[] | undefined {
  return some([...new Map(items.map((item) => [JSON.stringify(item), item])).values()])
}

function withoutNothing(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
