import spdx from 'spdx-license-list'
import { contributorTypes, dateTypes, termOf } from './datacite.ts'
import { isDay } from './file-access.ts'
import { isDateOrPeriod } from './metadata-formats.ts'
import { fromHtml, wordsOfHtml } from './html-text.ts'
import { splitName } from './person-names.ts'
import {
  affiliationsOf,
  doiOf,
  filled,
  firstOf,
  isForeign,
  numberOf,
  objectsOf,
  textOf,
  textsOf,
  toPerson,
  type Foreign,
} from './foreign-values.ts'

/** Resource types by Zenodo's type of an upload, or its kind of a publication; others have its name. */
const resourceTypes: ReadonlyMap<string, string> = new Map([
  ['publication', 'text'],
  ['publication-article', 'journalarticle'],
  ['publication-book', 'book'],
  ['publication-conferencepaper', 'conferencepaper'],
  ['publication-conferenceproceeding', 'conferenceproceeding'],
  ['publication-datamanagementplan', 'outputmanagementplan'],
  ['publication-preprint', 'preprint'],
  ['publication-proceeding', 'conferenceproceeding'],
  ['publication-report', 'report'],
  ['publication-section', 'bookchapter'],
  ['publication-thesis', 'dissertation'],
  ['video', 'audiovisual'],
  ['lesson', 'interactiveresource'],
])

const sameTypes = new Set(
  'dataset image other physicalobject poster presentation software workflow'.split(' '),
)

/**
 * Metadata of ours from those of Zenodo: a `.zenodo.json`, or what its deposit API is sent.
 *
 * @see https://developers.zenodo.org/#representation
 */
export function fromZenodo(zenodo: Foreign): Foreign {
  const related = objectsOf(zenodo['related_identifiers']).flatMap(toRelated)
  return filled({
    title: textOf(zenodo['title']),
    creators: objectsOf(zenodo['creators']).flatMap((person) => toCreator(person) ?? []),
    contributors: objectsOf(zenodo['contributors']).flatMap(toContributor),
    description: markdownOf(zenodo['description']),
    methods: markdownOf(zenodo['method']),
    publisher: textOf(zenodo['imprint_publisher']),
    publication_date: textOf(zenodo['publication_date']),
    resource_type: toType(zenodo),
    license: toLicense(zenodo['license']),
    keywords: textsOf(zenodo['keywords']),
    subjects: objectsOf(zenodo['subjects']).flatMap((subject) => toSubject(subject) ?? []),
    related_identifiers: related.filter(({ relation }) => !isAlternate(relation)),
    references: textsOf(zenodo['references']),
    alternate_identifiers: related
      .filter(({ relation }) => isAlternate(relation))
      .map(({ identifier, scheme }) => filled({ identifier, scheme })),
    doi: doiOf(zenodo['doi']),
    access: toAccess(zenodo),
    funding: objectsOf(zenodo['grants']).flatMap(toGrant),
    dates: objectsOf(zenodo['dates']).flatMap(toDate),
    locations: objectsOf(zenodo['locations']).flatMap(toLocation),
    version: textOf(zenodo['version']),
    language: textOf(zenodo['language']),
    notes: markdownOf(zenodo['notes']),
  })
}

/** Markdown of a field that is HTML in Zenodo. */
function markdownOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : fromHtml(text)
}

/**
 * Closed and restricted files are for those who are let in. An embargo without its day is none of
 * ours: publishing refuses it.
 */
function toAccess({ access_right, embargo_date, access_conditions }: Foreign): Foreign | undefined {
  const right = textOf(access_right)?.toLowerCase()
  if (right === 'embargoed') {
    return isDay(embargo_date) ? { files: 'restricted', until: embargo_date } : undefined
  }
  if (right !== 'restricted' && right !== 'closed') return undefined
  const reason = textOf(access_conditions)
  return filled({
    files: 'restricted',
    reason: reason === undefined ? undefined : wordsOfHtml(reason),
  })
}

function toCreator(person: Foreign): Foreign | undefined {
  const name = textOf(person['name'])
  const orcid = textOf(person['orcid'])
  const affiliation = affiliationsOf(person['affiliation'])
  const parts = name === undefined ? {} : splitName(name, orcid !== undefined)
  return toPerson({ name, ...parts, orcid, affiliation })
}

function toContributor(person: Foreign): readonly Foreign[] {
  const contributor = toCreator(person)
  const role = termOf(contributorTypes, textOf(person['type']) ?? '')
  return contributor === undefined ? [] : [filled({ ...contributor, role })]
}

function toType(zenodo: Foreign): string | undefined {
  const kind = textOf(zenodo['publication_type']) ?? textOf(zenodo['image_type'])
  const type = textOf(zenodo['upload_type']) ?? (kind === undefined ? undefined : 'publication')
  return type === undefined ? undefined : nameType(kind === undefined ? type : `${type}-${kind}`)
}

/** @param name `dataset`, or with its kind: `publication-article` */
function nameType(name: string): string | undefined {
  const [type = ''] = name.split('-', 1)
  const known = resourceTypes.get(name) ?? resourceTypes.get(type)
  return known ?? (sameTypes.has(type) ? type : undefined)
}

/** An identifier, an object that has it, or a list of which the first counts. */
function toLicense(given: unknown): string | undefined {
  const license = firstOf(given)
  const id = textOf(isForeign(license) ? license['id'] : license)
  if (id?.toLowerCase() === 'cc-zero') return 'CC0-1.0'
  return id === undefined ? undefined : spdxOf(id)
}

/** An identifier of SPDX, which some write in lower case; other text as it is. */
export function spdxOf(id: string): string {
  spdxIds ??= new Map(Object.keys(spdx).map((known) => [known.toLowerCase(), known]))
  return spdxIds.get(id.toLowerCase()) ?? id
}

/** Identifiers of SPDX by their lower case. */
let spdxIds: ReadonlyMap<string, string> | undefined

function toSubject({ term, identifier, scheme }: Foreign): Foreign | undefined {
  const subject = textOf(term)
  if (subject === undefined) return undefined
  return filled({ subject, identifier: textOf(identifier), scheme: textOf(scheme) })
}

function toRelated({ identifier: id, relation: kind, scheme, resource_type: type }: Foreign) {
  const [identifier, relation] = [textOf(id), textOf(kind)]
  if (identifier === undefined || relation === undefined) return []
  const named = textOf(type)
  const resource_type = named === undefined ? undefined : nameType(named)
  return [filled({ identifier, relation, scheme: textOf(scheme), resource_type })]
}

function isAlternate(relation: unknown): boolean {
  return textOf(relation)?.toLowerCase() === 'isalternateidentifier'
}

/** `10.13039/501100000780::283595` names a funder by DOI and its grant. */
function toGrant(grant: Foreign): readonly Foreign[] {
  const id = textOf(grant['id'])
  if (id === undefined) return []
  const [, funder, award] = /^(.+?)::(.+)$/.exec(id) ?? []
  // A number alone is a grant of the European Commission.
  return [funder === undefined ? { funder: '10.13039/501100000780', award: id } : { funder, award }]
}

/** A day, or a period that may lack an end. */
function toDate({ start, end, type, description }: Foreign): readonly Foreign[] {
  const [from = '', to = ''] = [textOf(start), textOf(end)]
  const date = from === to ? from : `${from}/${to}`
  const kind = termOf(dateTypes, textOf(type) ?? '')?.toLowerCase()
  const event = filled({ date, type: kind, description: textOf(description) })
  return isDateOrPeriod(date) ? [event] : []
}

function toLocation({ place, lat, lon }: Foreign): readonly Foreign[] {
  const [latitude, longitude] = [numberOf(lat), numberOf(lon)]
  const isPoint = latitude !== undefined && longitude !== undefined
  const point = isPoint ? { latitude, longitude } : undefined
  const location = filled({ place: textOf(place), point })
  return Object.keys(location).length === 0 ? [] : [location]
}
