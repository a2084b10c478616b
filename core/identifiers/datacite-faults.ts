import { identifierTypes, relationTypes, termOf } from '../contract/datacite.ts'
import { isJsonArray, isJsonObject } from '../base/json.ts'
import type { Description } from '../describe/description.ts'
import { toIdentifier } from '../describe/identifiers.ts'
import { toResourceType } from '../describe/describe.ts'
import type { ProviderFault } from '../ports/provider.ts'

/** Characters that DataCite's database has room for. */
const longest = { version: 191, language: 191, url: 65_535 }

/**
 * Bytes of the attributes. DataCite keeps 16 MiB of XML, which repeats each name of an element.
 */
const mostBytes = 4 * 1024 * 1024

/**
 * Finds what DataCite refuses, and what it takes with a code for "unavailable" in place of a value:
 * such a DOI cannot be cited.
 *
 * @see DataCite Metadata Schema 4.7, mandatory properties
 */
export function findDataciteFaults(description: Description): readonly ProviderFault[] {
  return [...findRefused(description), ...findUnavailable(description)]
}

/** Faults that are certain: with them nothing need be sent. */
export function findRefused(description: Description): readonly ProviderFault[] {
  const { version, document } = description
  const found: readonly (ProviderFault | false)[] = [
    version !== undefined &&
      version.length > longest.version && {
        field: '/version',
        message: `DataCite takes ${longest.version} characters, and the version has ${version.length}.`,
      },
    JSON.stringify(document).length > mostBytes && {
      field: '',
      message: 'DataCite takes 4 MiB of metadata, and the record has more.',
    },
  ]
  return found.filter((fault) => fault !== false)
}

function findUnavailable(description: Description): readonly ProviderFault[] {
  const { title, creators, resourceType, document, year } = description
  const type = toResourceType(document['resource_type'])
  const found: readonly (ProviderFault | false)[] = [
    title === undefined && missing('title', 'a title'),
    creators.length === 0 && missing('creators', 'a creator'),
    resourceType === undefined && missing('resource_type', 'a type'),
    year.startsWith('0') && {
      field: '/publication_date',
      message: `DataCite keeps years as numbers, and may refuse one before 1000: ${year}.`,
    },
    type?.general === 'Other' &&
      type.id.toLowerCase() !== 'other' && {
        field: '/resource_type',
        message: `DataCite has no type "${type.id}": the DOI says "Other".`,
      },
  ]
  return [...found.filter((fault) => fault !== false), ...findRelated(description)]
}

function missing(field: string, what: string): ProviderFault {
  return {
    field: `/${field}`,
    message: `DataCite demands ${what}: without it, the DOI says that it is unavailable.`,
  }
}

/** Related identifiers that the DOI cannot tell. */
function findRelated({ document }: Description): readonly ProviderFault[] {
  const related = document['related_identifiers']
  if (!isJsonArray(related)) return []
  return related.flatMap((each, index) => {
    if (!isJsonObject(each)) return []
    const { identifier, relation, scheme } = each
    const at = `/related_identifiers/${index}`
    if (typeof relation === 'string' && termOf(relationTypes, relation) === undefined) {
      const message = `DataCite has no relation "${relation}": the DOI leaves it out.`
      return [{ field: `${at}/relation`, message }]
    }
    if (typeof identifier !== 'string') return []
    const found = toIdentifier(identifier.trim(), typeof scheme === 'string' ? scheme : undefined)
    const isKnown =
      found.scheme !== undefined && termOf(identifierTypes, found.scheme) !== undefined
    if (isKnown) return []
    const message = `DataCite knows no kind of identifier that "${shorten(identifier)}" can be: the DOI leaves it out.`
    return [{ field: `${at}/identifier`, message }]
  })
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Attributes of DataCite and the fields that they are written from. */
const fields: Readonly<Record<string, string>> = {
  titles: '/title',
  creators: '/creators',
  contributors: '/contributors',
  publisher: '/publisher',
  publisher_obj: '/publisher',
  publicationyear: '/publication_date',
  dates: '/dates',
  types: '/resource_type',
  language: '/language',
  version: '/version',
  version_info: '/version',
  subjects: '/subjects',
  relatedidentifiers: '/related_identifiers',
  relateditems: '/related_identifiers',
  alternateidentifiers: '/alternate_identifiers',
  identifiers: '/alternate_identifiers',
  rightslist: '/license',
  descriptions: '/description',
  geolocations: '/locations',
  fundingreferences: '/funding',
}

/**
 * The field of a document that DataCite finds fault with.
 *
 * @param source as DataCite names it: an attribute, or an element of its XML
 */
export function fieldOf(source: string | undefined): string | undefined {
  if (source === undefined) return undefined
  const name = source.toLowerCase()
  return fields[name] ?? fields[name.replaceAll('_', '')] ?? fields[`${name}s`]
}
