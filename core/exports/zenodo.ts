import { identifierTypes, termOf } from '../contract/datacite.ts'
import { threeLetters } from '../contract/languages.ts'
import { sortedName } from '../contract/person-names.ts'
import type { Agent, Description, Identifier } from '../describe/description.ts'
import { some, toJsonText, unavailable, untitled, type ExportFormat } from './format.ts'
import { htmlOf } from './markdown-html.ts'

/** Metadata for Zenodo. @see https://developers.zenodo.org/#representation */
export const zenodo: ExportFormat = {
  name: 'zenodo',
  title: 'Zenodo',
  mediaTypes: ['application/json'],
  byNameOnly: true,
  filename: '.zenodo.json',
  extension: '.json',
  write: (about) => toJsonText({ ...mandatory(about), ...toZenodo(about) }),
}

/** Stands for what Zenodo demands and the document does not say. */
function mandatory({ title = untitled, description = title }: Description) {
  return { title, ...toType(), description: htmlOf(description), creators: [{ name: unavailable }] }
}

/**
 * Zenodo's metadata of a description, without a field for what it does not say.
 *
 * @see https://developers.zenodo.org/#representation
 */
export function toZenodo(about: Description): Readonly<Record<string, unknown>> {
  const { title, access, rights, language } = about
  const fields = {
    title,
    ...(about.resourceType && toType(about.resourceType.general)),
    description: htmlOf(about.description),
    creators: some(about.creators.map(toPerson)),
    contributors: some(
      about.contributors.map((agent) => ({ ...toPerson(agent), type: agent.role })),
    ),
    publication_date: about.date,
    doi: about.doi,
    license: rights?.id?.toLowerCase(),
    access_right: accessRight(about),
    embargo_date: access.until,
    access_conditions: access.until === undefined ? access.reason : undefined,
    keywords: some(about.keywords),
    subjects: some(
      about.subjects.flatMap(({ subject, url, scheme }) =>
        url === undefined ? [] : [{ term: subject, identifier: url, scheme }],
      ),
    ),
    related_identifiers: some([
      ...about.relations.map(({ relation, resourceType, ...other }) => ({
        ...toIdentifier(other),
        relation: relation.charAt(0).toLowerCase() + relation.slice(1),
        resource_type: resourceType && toTypes(resourceType).join('-'),
      })),
      // It refuses identifiers of kinds that it does not know.
      ...about.alternateIdentifiers
        .filter(({ scheme }) => isKnown(scheme))
        .map((other) => ({ ...toIdentifier(other), relation: 'isAlternateIdentifier' })),
    ]),
    references: some(about.references),
    grants: some(about.funding.flatMap(toGrant)),
    locations: some(
      about.locations.flatMap(({ place, point }) =>
        place === undefined ? [] : [{ place, lat: point?.latitude, lon: point?.longitude }],
      ),
    ),
    dates: some(about.dates.flatMap(toDate)),
    method: htmlOf(about.methods),
    version: about.version,
    // It takes languages in three letters alone.
    language: language === undefined ? undefined : threeLetters(language),
    notes: htmlOf(about.notes),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function toIdentifier({ identifier, scheme }: Identifier) {
  return { identifier, scheme: isKnown(scheme) ? scheme?.toLowerCase() : scheme }
}

function isKnown(scheme: string | undefined): boolean {
  return termOf(identifierTypes, scheme ?? '') !== undefined
}

function toPerson({ name, orcid, affiliations, ...parts }: Agent) {
  return {
    name: sortedName(name, parts),
    affiliation: affiliations.map((each) => each.name).join('; ') || undefined,
    orcid: orcid?.replace('https://orcid.org/', ''),
  }
}

function accessRight({ access }: Description): string {
  if (access.files === 'public') return 'open'
  return access.until === undefined ? 'restricted' : 'embargoed'
}

/**
 * Zenodo names a funder by its DOI, before the number of the grant; a number alone would be a grant of
 * the European Commission.
 */
function toGrant({ funderId, award }: Description['funding'][number]) {
  const funder = /10\.13039\/\d+$/.exec(funderId ?? '')?.[0]
  return award === undefined || funder === undefined ? [] : [{ id: `${funder}::${award}` }]
}

/** It knows three kinds of dates, with two ends. */
function toDate({ date, type, description }: Description['dates'][number]) {
  if (!['Collected', 'Valid', 'Withdrawn'].includes(type)) return []
  const ends = date.split('/').map((day) => (day === '' ? undefined : day))
  return [{ start: ends[0], end: ends.at(-1), type, description }]
}

function toType(general = 'Dataset') {
  const [upload_type, kind] = toTypes(general)
  if (upload_type === 'publication') return { upload_type, publication_type: kind }
  return upload_type === 'image' ? { upload_type, image_type: kind } : { upload_type }
}

/** Its type of upload, and the kind of a publication or image. */
function toTypes(general: string): readonly [string, string?] {
  return types.get(general) ?? ['other']
}

const types: ReadonlyMap<string, readonly [string, string?]> = new Map([
  ['Audiovisual', ['video']],
  ['Book', ['publication', 'book']],
  ['BookChapter', ['publication', 'section']],
  ['ComputationalNotebook', ['software']],
  ['ConferencePaper', ['publication', 'conferencepaper']],
  ['ConferenceProceeding', ['publication', 'proceeding']],
  ['DataPaper', ['publication', 'article']],
  ['Dataset', ['dataset']],
  ['Dissertation', ['publication', 'thesis']],
  ['Image', ['image', 'other']],
  ['InteractiveResource', ['lesson']],
  ['JournalArticle', ['publication', 'article']],
  ['OutputManagementPlan', ['publication', 'datamanagementplan']],
  ['PhysicalObject', ['physicalobject']],
  ['Poster', ['poster']],
  ['Preprint', ['publication', 'preprint']],
  ['Presentation', ['presentation']],
  ['Report', ['publication', 'report']],
  ['Software', ['software']],
  ['Sound', ['video']],
  ['Text', ['publication', 'other']],
  ['Workflow', ['workflow']],
])
