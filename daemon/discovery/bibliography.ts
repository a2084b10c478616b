import { isJsonArray, isJsonObject, type Json, type PublishedRecord } from '../../core/index.ts'
import { text } from '../pages/text/text.ts'

/** Somebody who made it, as far as the document says. */
export interface Creator {
  /** In full, as the document has it: `Family, Given` for a person. */
  readonly name: string
  readonly given?: string
  readonly family?: string
  /** URL of the ORCID iD. */
  readonly orcid?: string
  readonly affiliation: string
}

/** The fields needed to cite a record. Fields of an unexpected shape are left out. */
export interface Bibliography {
  readonly title: string
  readonly creators: readonly Creator[]
  /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly date: string
  readonly year: string
  readonly resourceType: string
  /** The publisher: as the document says, else the host of this service. */
  readonly publisher: string
  readonly description: string
  readonly paragraphs: readonly string[]
  readonly keywords: readonly string[]
  readonly license?: { readonly id: string; readonly url: string }
  readonly version: string
  readonly language: string
  readonly url: string
  readonly value: string
}

export function toBibliography(record: PublishedRecord, url: string): Bibliography {
  const { metadata } = record
  const date = toText(metadata['publication_date']) || record.created.slice(0, 10)
  const license = toText(metadata['license'])
  const description = toText(metadata['description'])
  return {
    title: toText(metadata['title']) || text('record.untitled'),
    creators: toList(metadata['creators']).flatMap(toCreator),
    date,
    year: date.slice(0, 4),
    resourceType: toText(metadata['resource_type']),
    publisher: toText(metadata['publisher']) || new URL(url).hostname,
    description,
    paragraphs: description.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== ''),
    keywords: toList(metadata['keywords']).map(toText).filter(Boolean),
    ...(license && { license: { id: license, url: licenseUrl(license) } }),
    version: toText(metadata['version']),
    language: toText(metadata['language']),
    url,
    value: record.value,
  }
}

function toCreator(person: Json): readonly Creator[] {
  if (!isJsonObject(person)) return []
  const [given, family] = [toText(person['given_name']), toText(person['family_name'])]
  const name = toText(person['name']) || [family, given].filter(Boolean).join(', ')
  const orcid = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.exec(toText(person['orcid']))?.[0]
  if (name === '') return []
  return [
    {
      name,
      ...(given && { given }),
      ...(family && { family }),
      ...(orcid !== undefined && { orcid: `https://orcid.org/${orcid}` }),
      affiliation: toList(person['affiliation']).map(toText).filter(Boolean).join('; '),
    },
  ]
}

/** The parts of a name: the whole name of an organisation is its family name, as in citations. */
export function nameParts({ name, family, given = '', orcid }: Creator) {
  if (family !== undefined) return { family, given }
  const [before = '', after = '', ...more] = name.split(/,\s*/)
  const isPerson =
    more.length === 0 && after !== '' && (orcid !== undefined || !ofOrganisation.test(name))
  return isPerson ? { family: before, given: after } : { family: name, given: '' }
}

/** Words that no person is called by: `University of California, Berkeley` is no Berkeley. */
const ofOrganisation =
  /\b(?:of|for|and|universi\p{L}+|instit\p{L}+|cent(?:er|re)|department|faculty|laborator\p{L}+|agency|ministry|council|society|foundation|project|team|group|collaboration|consortium|inc|ltd|gmbh)\b|&/iu

/** A license that is no web address is looked up by its SPDX identifier, and never elsewhere. */
function licenseUrl(id: string): string {
  const isUrl = /^https:\/\/[^\s"<>]+$/.test(id)
  return isUrl ? id : `https://spdx.org/licenses/${encodeURIComponent(id)}.html`
}

/** The text, or nothing where it is something else. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}

function toList(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : []
}
