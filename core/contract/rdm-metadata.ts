import { fromHtml } from './html-text.ts'
import { filled, isForeign, objectsOf, textOf, toPerson, type Foreign } from './foreign-values.ts'
import { shortestCode } from './languages.ts'
import { spdxOf } from './zenodo-metadata.ts'

/**
 * Metadata of ours from those of an InvenioRDM, with its limits of access.
 *
 * @param record as its interface answers it
 * @see https://inveniordm.docs.cern.ch/reference/metadata/
 */
export function fromRdm(record: Foreign): Foreign {
  const metadata = objectOf(record['metadata'])
  const described = objectsOf(metadata['additional_descriptions'])
  const ofType = (type: string): string | undefined =>
    described.flatMap((each) =>
      idOf(each['type']) === type ? (markdownOf(each['description']) ?? []) : [],
    )[0]
  const [language] = objectsOf(metadata['languages']).flatMap((each) => textOf(each['id']) ?? [])
  return filled({
    title: textOf(metadata['title']),
    creators: objectsOf(metadata['creators']).flatMap((each) => toAgent(each) ?? []),
    contributors: objectsOf(metadata['contributors']).flatMap((each) => {
      const agent = toAgent(each)
      return agent === undefined ? [] : [filled({ ...agent, role: idOf(each['role']) })]
    }),
    description: markdownOf(metadata['description']),
    methods: ofType('methods'),
    notes: ofType('notes'),
    publisher: textOf(metadata['publisher']),
    publication_date: textOf(metadata['publication_date']),
    resource_type: typeOf(idOf(metadata['resource_type'])),
    license: objectsOf(metadata['rights']).flatMap((each) => toLicense(each) ?? [])[0],
    keywords: objectsOf(metadata['subjects']).flatMap((each) => textOf(each['subject']) ?? []),
    related_identifiers: objectsOf(metadata['related_identifiers']).flatMap(toRelated),
    references: objectsOf(metadata['references']).flatMap(
      (each) => textOf(each['reference']) ?? [],
    ),
    alternate_identifiers: objectsOf(metadata['identifiers']).flatMap(toAlternate),
    funding: objectsOf(metadata['funding']).flatMap(toFunding),
    dates: objectsOf(metadata['dates']).flatMap(toDate),
    locations: objectsOf(objectOf(metadata['locations'])['features']).flatMap(toLocation),
    version: textOf(metadata['version']),
    language: language && shortestCode(language),
    access: toAccess(objectOf(record['access'])),
  })
}

const objectOf = (value: unknown): Foreign => (isForeign(value) ? value : {})
const idOf = (value: unknown): string | undefined => textOf(objectOf(value)['id'])

/** Of a field that is HTML there. */
function markdownOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : fromHtml(text)
}

function toAgent({ person_or_org, affiliations }: Foreign): Foreign | undefined {
  const { name, family_name: family, given_name: given, identifiers } = objectOf(person_or_org)
  const orcid = objectsOf(identifiers).find(({ scheme }) => scheme === 'orcid')?.['identifier']
  const affiliation = objectsOf(affiliations).flatMap((each) => textOf(each['name']) ?? [])
  return toPerson({
    name: family === undefined ? name : undefined,
    family,
    given,
    orcid,
    affiliation,
  })
}

/** Of a type with a kind the kind counts, where it is one of ours. */
function typeOf(id: string | undefined): string | undefined {
  if (id === undefined) return undefined
  const [type = '', kind = ''] = id.split('-')
  return kinds.get(kind) ?? types.get(type) ?? type
}

const types: ReadonlyMap<string, string> = new Map([
  ['publication', 'text'],
  ['video', 'audiovisual'],
  ['audio', 'sound'],
  ['lesson', 'interactiveresource'],
])

const kinds: ReadonlyMap<string, string> = new Map([
  ['article', 'journalarticle'],
  ['book', 'book'],
  ['section', 'bookchapter'],
  ['conferencepaper', 'conferencepaper'],
  ['conferenceproceeding', 'conferenceproceeding'],
  ['datamanagementplan', 'outputmanagementplan'],
  ['datapaper', 'datapaper'],
  ['dissertation', 'dissertation'],
  ['thesis', 'dissertation'],
  ['journal', 'journal'],
  ['peerreview', 'peerreview'],
  ['preprint', 'preprint'],
  ['report', 'report'],
  ['standard', 'standard'],
  ['studyregistration', 'studyregistration'],
  ['computationalnotebook', 'computationalnotebook'],
])

function toLicense({ id, title, link }: Foreign): string | undefined {
  const named = textOf(id)
  if (named !== undefined) return spdxOf(named)
  return textOf(link) ?? textOf(objectOf(title)['en'])
}

function toRelated({ identifier, scheme, relation_type, resource_type }: Foreign) {
  const relation = idOf(relation_type)
  if (textOf(identifier) === undefined || relation === undefined) return []
  return [
    filled({
      identifier,
      relation,
      scheme: textOf(scheme),
      resource_type: typeOf(idOf(resource_type)),
    }),
  ]
}

function toAlternate({ identifier, scheme }: Foreign) {
  return textOf(identifier) === undefined ? [] : [filled({ identifier, scheme: textOf(scheme) })]
}

function toFunding({ funder, award }: Foreign) {
  const { number, title } = objectOf(award)
  const name = textOf(objectOf(funder)['name']) ?? idOf(funder)
  if (name === undefined) return []
  return [
    filled({ funder: name, award: textOf(number), award_title: textOf(objectOf(title)['en']) }),
  ]
}

function toDate({ date, type, description }: Foreign) {
  if (textOf(date) === undefined) return []
  return [filled({ date, type: idOf(type), description: textOf(description) })]
}

function toLocation({ place, geometry }: Foreign) {
  const { type, coordinates } = objectOf(geometry)
  const [longitude, latitude] = Array.isArray(coordinates) ? (coordinates as unknown[]) : []
  const isPoint = type === 'Point' && typeof latitude === 'number' && typeof longitude === 'number'
  const location = filled({
    place: textOf(place),
    point: isPoint ? { latitude, longitude } : undefined,
  })
  return Object.keys(location).length === 0 ? [] : [location]
}

/** A record that only some may see, or that is embargoed, has files that only they may have. */
function toAccess({ record, files, embargo }: Foreign): Foreign | undefined {
  const { active, until, reason } = objectOf(embargo)
  const isClosed = record === 'restricted' || files === 'restricted' || active === true
  if (!isClosed) return undefined
  return filled({
    files: 'restricted',
    until: active === true ? textOf(until) : undefined,
    reason: textOf(reason),
  })
}
