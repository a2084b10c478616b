import { identifierTypes, termOf } from '../contract/datacite.ts'
import { threeLetters } from '../contract/languages.ts'
import type { Agent, Description, Identifier } from '../describe/description.ts'
import { some } from './format.ts'
import { htmlOf } from './markdown-html.ts'

/**
 * InvenioRDM's metadata of a description, without a field for what it does not say.
 *
 * @see https://inveniordm.docs.cern.ch/reference/metadata/
 */
export function toRdm(about: Description): Readonly<Record<string, unknown>> {
  const { title, rights, language, publisher } = about
  const letters = language && threeLetters(language)
  const fields = {
    resource_type: about.resourceType && { id: toRdmType(about.resourceType.general) },
    title,
    publication_date: about.date,
    creators: some(about.creators.map((agent) => toPerson(agent))),
    contributors: some(
      about.contributors.map((agent) => ({
        ...toPerson(agent),
        role: { id: agent.role.toLowerCase() },
      })),
    ),
    description: htmlOf(about.description),
    additional_descriptions: some([
      ...described(about.methods, 'methods'),
      ...described(about.notes, 'notes'),
    ]),
    subjects: some([
      ...about.keywords.map((subject) => ({ subject })),
      ...about.subjects.map(({ subject }) => ({ subject })),
    ]),
    dates: some(
      about.dates.map(({ date, type, description }) => ({
        date,
        type: { id: type.toLowerCase() },
        description,
      })),
    ),
    languages: letters === undefined ? undefined : [{ id: letters }],
    rights: rights && [toRights(rights)],
    publisher: publisher.name === '' ? undefined : publisher.name,
    version: about.version,
    related_identifiers: some(
      about.relations.flatMap(({ relation, resourceType, ...identifier }) =>
        toIdentifiers(identifier).map((each) => ({
          ...each,
          relation_type: { id: relation.toLowerCase() },
          ...(resourceType && { resource_type: { id: toRdmType(resourceType) } }),
        })),
      ),
    ),
    identifiers: some(about.alternateIdentifiers.flatMap((each) => toIdentifiers(each))),
    references: some(about.references.map((reference) => ({ reference }))),
    funding: some(about.funding.flatMap(toFunding)),
    locations: toLocations(about),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Who may see the record and its files. */
export function toRdmAccess({ access }: Description): Readonly<Record<string, unknown>> {
  const { files, until, reason } = access
  const embargo = until === undefined ? {} : { embargo: { active: true, until, reason } }
  return { record: 'public', files, ...embargo }
}

function described(text: string | undefined, type: string) {
  return text === undefined ? [] : [{ description: htmlOf(text), type: { id: type } }]
}

/** A person has a family name there. */
function toPerson({ name, isPerson, family, given, orcid, affiliations }: Agent) {
  const identifiers =
    orcid === undefined
      ? []
      : [{ scheme: 'orcid', identifier: orcid.replace('https://orcid.org/', '') }]
  const [before = name, after] = name.split(/,\s*/, 2)
  const named = isPerson
    ? { type: 'personal', family_name: family ?? before, given_name: given ?? after }
    : { type: 'organizational', name }
  return {
    person_or_org: { ...named, ...(identifiers.length > 0 && { identifiers }) },
    ...(affiliations.length > 0 && {
      affiliations: affiliations.map((each) => ({ name: each.name })),
    }),
  }
}

function toRights({ id, name, url }: NonNullable<Description['rights']>) {
  if (id !== undefined) return { id: id.toLowerCase() }
  return { title: { en: name }, ...(url !== undefined && { link: url }) }
}

/** It refuses identifiers of kinds that it does not know. */
function toIdentifiers({ identifier, scheme }: Identifier) {
  const known = termOf(identifierTypes, scheme ?? '')?.toLowerCase()
  return known === undefined || refusedSchemes.has(known) ? [] : [{ identifier, scheme: known }]
}

/** Schemes of DataCite that are none of InvenioRDM's. */
const refusedSchemes = new Set(['cstr', 'raid', 'rrid', 'swhid'])

function toFunding({
  funder,
  funderId,
  award,
  awardTitle,
  awardUrl,
}: Description['funding'][number]) {
  const name = funder ?? funderId
  if (name === undefined) return []
  const identifiers = awardUrl === undefined ? [] : [{ scheme: 'url', identifier: awardUrl }]
  const title = awardTitle === undefined ? undefined : { en: awardTitle }
  const known = { number: award, title, ...(identifiers.length > 0 && { identifiers }) }
  const isNamed = award !== undefined || awardTitle !== undefined
  return [{ funder: { name }, ...(isNamed && { award: known }) }]
}

function toLocations({ locations }: Description) {
  const features = locations.flatMap(({ place, point }) => {
    if (place === undefined && point === undefined) return []
    const geometry = point && {
      geometry: { type: 'Point', coordinates: [point.longitude, point.latitude] },
    }
    return [{ ...(place !== undefined && { place }), ...geometry }]
  })
  return features.length === 0 ? undefined : { features }
}

/** Its resource type for one of DataCite's general types. */
export function toRdmType(general: string): string {
  return rdmTypes.get(general) ?? 'other'
}

/** @see https://github.com/inveniosoftware/invenio-rdm-records `resource_types.yaml` */
export const rdmTypes: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'video'],
  ['Book', 'publication-book'],
  ['BookChapter', 'publication-section'],
  ['ComputationalNotebook', 'software-computationalnotebook'],
  ['ConferencePaper', 'publication-conferencepaper'],
  ['ConferenceProceeding', 'publication-conferenceproceeding'],
  ['DataPaper', 'publication-datapaper'],
  ['Dataset', 'dataset'],
  ['Dissertation', 'publication-dissertation'],
  ['Event', 'event'],
  ['Image', 'image'],
  ['Instrument', 'instrument'],
  ['InteractiveResource', 'lesson'],
  ['Journal', 'publication-journal'],
  ['JournalArticle', 'publication-article'],
  ['Model', 'model'],
  ['OutputManagementPlan', 'publication-datamanagementplan'],
  ['PeerReview', 'publication-peerreview'],
  ['PhysicalObject', 'physicalobject'],
  ['Poster', 'poster'],
  ['Preprint', 'publication-preprint'],
  ['Presentation', 'presentation'],
  ['Project', 'project'],
  ['Report', 'publication-report'],
  ['Software', 'software'],
  ['Sound', 'audio'],
  ['Standard', 'publication-standard'],
  ['StudyRegistration', 'publication-studyregistration'],
  ['Text', 'publication'],
  ['Workflow', 'workflow'],
])
