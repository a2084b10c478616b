import { isAccessField } from '../access-fields.ts'
import { findAccessLimits } from '../access-limits.ts'
import { isForeign, textOf, type Foreign } from '../foreign-values.ts'
import { toAccess } from './access-of-files.ts'
import { watch } from './watch.ts'

/** Formats of metadata whose text says which one it is. */
export type ForeignFormat =
  | 'BibTeX'
  | 'CITATION.cff'
  | 'CSL JSON'
  | 'DataCite JSON'
  | 'DataCite XML'
  | '.zenodo.json'
  | 'JSON'

export interface ReadForeign {
  readonly format: ForeignFormat
  readonly metadata: Foreign
  /** Fields without an equivalent in our metadata. */
  readonly notTaken: readonly string[]
}

/**
 * The metadata in a text of one of the known formats; undefined for any other text.
 *
 * @param name of its file, where it comes from one
 */
export async function readForeign(text: string, name?: string): Promise<ReadForeign | undefined> {
  const start = text.replace(/^\uFEFF/, '').trimStart()
  if (start.startsWith('<')) return readXml(start)
  const json = start.startsWith('{') || start.startsWith('[') ? parseJson(start) : undefined
  if (json !== undefined) return readJson(json, name)
  if (/^cff-version\s*:/m.test(start)) return readCff(start)
  if (!/@\s*\w+\s*\{/.test(start)) return undefined
  const { fromBibtex } = await import('./bibtex.ts')
  const metadata = fromBibtex(start)
  return metadata && { format: 'BibTeX', metadata, notTaken: [] }
}

async function readXml(text: string): Promise<ReadForeign | undefined> {
  const { fromDataciteXml } = await import('./datacite-xml.ts')
  const metadata = fromDataciteXml(text)
  return metadata && { format: 'DataCite XML', metadata, notTaken: [] }
}

async function readCff(text: string): Promise<ReadForeign | undefined> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { version: '1.2' })
  const value: unknown =
    document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 10 })
  if (!isForeign(value)) return undefined
  const { fromCitationCff } = await import('./citation-cff.ts')
  return translate('CITATION.cff', value, fromCitationCff)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A list counts by its first element: programs write one for a single reference. */
async function readJson(json: unknown, name: string | undefined): Promise<ReadForeign | undefined> {
  const document: unknown = Array.isArray(json) ? json[0] : json
  if (!isForeign(document)) return undefined
  const inside = unwrap(document)
  if (isOfDataCite(inside)) {
    const { fromDataciteJson } = await import('./datacite-json.ts')
    return translate('DataCite JSON', inside, fromDataciteJson)
  }
  if (isOfCsl(inside)) {
    const { fromCslJson } = await import('./csl-json.ts')
    return translate('CSL JSON', inside, fromCslJson)
  }
  if (name === '.zenodo.json' || ofZenodo.some((field) => Object.hasOwn(inside, field))) {
    const { fromZenodo } = await import('../zenodo-metadata.ts')
    return translate('.zenodo.json', inside, fromZenodo)
  }
  // Our own, as `deposit show --json` or an export has it.
  const { _deposit, $schema, ...own } = inside
  return textOf(own['title']) === undefined
    ? undefined
    : { format: 'JSON', metadata: own, notTaken: [] }
}

/** Unwraps `{"metadata": …}` of interfaces, which people keep in files. */
function unwrap(document: Foreign): Foreign {
  const { metadata, data } = document
  if (isForeign(metadata) && metadata['title'] !== undefined) return metadata
  return isForeign(data) && isForeign(data['attributes']) ? data['attributes'] : document
}

function isOfDataCite({ titles, types, creators }: Foreign): boolean {
  return Array.isArray(titles) && (isForeign(types) || Array.isArray(creators))
}

function isOfCsl(document: Foreign): boolean {
  const { type, author, issued, DOI } = document
  return (
    typeof type === 'string' && (Array.isArray(author) || isForeign(issued) || DOI !== undefined)
  )
}

/** Fields that Zenodo's metadata have and ours have not. */
const ofZenodo = 'upload_type access_right publication_type image_type communities grants'.split(
  ' ',
)

/** What a document says of access is carried out: files do not become public by an import. */
function translate(
  format: ForeignFormat,
  document: Foreign,
  toOwn: (document: Foreign) => Foreign,
): ReadForeign {
  const { view, unread } = watch(document)
  const metadata = toOwn(view)
  const limits = findAccessLimits(document, new Date().toISOString())
  const limited = toAccess(limits, textOf(document['access_conditions']))
  return {
    format,
    metadata: { ...metadata, ...limited },
    notTaken: unread().filter((field) => !isAccessField(field)),
  }
}
