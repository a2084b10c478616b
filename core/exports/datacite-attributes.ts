import { formatBytes } from '../base/amounts.ts'
import type { Agent, Description, Identifier, Location } from '../describe/description.ts'
import { identifierTypes } from '../contract/datacite.ts'
import { some, unavailable } from './format.ts'

/** Kinds of identifiers that DataCite has a word for. */
const relatedTypes: ReadonlySet<string> = new Set(identifierTypes.values())

const orcidScheme = { nameIdentifierScheme: 'ORCID', schemeUri: 'https://orcid.org' }
const rorScheme = 'https://ror.org'
const openAccess = 'info:eu-repo/semantics/openAccess'
const closed = {
  embargoed: 'info:eu-repo/semantics/embargoedAccess',
  restricted: 'info:eu-repo/semantics/restrictedAccess',
}

/** A record in the terms of DataCite's metadata schema. @see DataCite Metadata Schema 4.7 */
export type DataciteAttributes = ReturnType<typeof toDataciteAttributes>

/** The attributes of a DOI in DataCite's REST interface; its XML is written from them as well. */
export function toDataciteAttributes(about: Description) {
  const { doi, title, creators, contributors, publisher, resourceType, url } = about
  return {
    schemaVersion: 'http://datacite.org/schema/kernel-4',
    doi,
    url,
    identifiers: [
      doi === undefined
        ? { identifier: url, identifierType: 'URL' }
        : { identifier: doi, identifierType: 'DOI' },
    ],
    types: {
      resourceTypeGeneral: resourceType?.general ?? 'Other',
      // A type that DataCite has no word for is given in the document's.
      resourceType: resourceType?.general ?? unavailable,
      ...(resourceType?.general === 'Other' && { resourceType: resourceType.id }),
    },
    creators: creators.length === 0 ? [{ name: unavailable }] : creators.map(toPerson),
    titles: [{ title: title ?? unavailable }],
    publisher: {
      name: publisher.name,
      ...(publisher.ror !== undefined && {
        publisherIdentifier: publisher.ror,
        publisherIdentifierScheme: 'ROR',
        schemeUri: `${rorScheme}/`,
      }),
    },
    // A number of fewer digits is no year in DataCite's schema.
    publicationYear: about.year.startsWith('0') ? about.year : Number(about.year),
    subjects: some(toSubjects(about)),
    contributors: some(
      contributors.map((agent) => ({ ...toPerson(agent), contributorType: agent.role })),
    ),
    dates: toDates(about),
    language: about.language,
    alternateIdentifiers: some(about.alternateIdentifiers.map(toAlternate)),
    relatedIdentifiers: some(toRelated(about)),
    sizes: some(toSizes(about)),
    formats: some([...new Set(about.files.map(({ mediaType }) => mediaType))]),
    version: about.version,
    rightsList: toRightsList(about),
    descriptions: some(toDescriptions(about)),
    geoLocations: some(about.locations.map(toGeoLocation)),
    fundingReferences: some(about.funding.map(toFundingReference)),
  }
}

/** A creator or contributor without what says how they took part. */
function toPerson({ name, isPerson, family, given, orcid, affiliations }: Agent) {
  return {
    name,
    nameType: isPerson ? 'Personal' : 'Organizational',
    givenName: given,
    familyName: family,
    nameIdentifiers: orcid === undefined ? undefined : [{ nameIdentifier: orcid, ...orcidScheme }],
    affiliation: some(
      affiliations.map((each) => ({
        name: each.name,
        ...(each.ror !== undefined && {
          affiliationIdentifier: each.ror,
          affiliationIdentifierScheme: 'ROR',
          schemeUri: rorScheme,
        }),
      })),
    ),
  }
}

interface DataciteSubject {
  readonly subject: string
  readonly subjectScheme?: string | undefined
  readonly valueUri?: string | undefined
}

function toSubjects({ keywords, subjects }: Description): readonly DataciteSubject[] {
  const all: readonly DataciteSubject[] = [
    ...keywords.map((subject) => ({ subject })),
    ...subjects.map(({ subject, scheme, url }) => ({
      subject,
      subjectScheme: scheme,
      valueUri: url,
    })),
  ]
  return distinct(all)
}

interface DataciteDate {
  readonly date: string
  readonly dateType: string
  readonly dateInformation?: string | undefined
}

function toDates({ date, dates, access }: Description): readonly DataciteDate[] {
  const issued = { date, dateType: 'Issued' }
  const available =
    access.until === undefined ? [] : [{ date: access.until, dateType: 'Available' }]
  const others = dates.map((event) => ({
    date: event.date,
    dateType: event.type,
    dateInformation: event.description,
  }))
  return distinct([issued, ...available, ...others])
}

function toAlternate({ identifier, scheme }: Identifier) {
  return { alternateIdentifier: identifier, alternateIdentifierType: scheme ?? 'Other' }
}

/** Identifiers of a kind that DataCite has no word for cannot be told. */
function toRelated({ versions, relations, references }: Description) {
  const told = [...versions, ...relations].flatMap(
    ({ identifier, scheme, relation, resourceType }) =>
      scheme === undefined || !relatedTypes.has(scheme)
        ? []
        : [toRelatedIdentifier(identifier, scheme, relation, resourceType)],
  )
  const cited = references.flatMap((text) =>
    /^https?:\/\/\S+$/.test(text) ? [toRelatedIdentifier(text, 'URL', 'References')] : [],
  )
  return [...told, ...cited]
}

function toRelatedIdentifier(
  relatedIdentifier: string,
  relatedIdentifierType: string,
  relationType: string,
  resourceTypeGeneral?: string,
) {
  return { relatedIdentifier, relatedIdentifierType, relationType, resourceTypeGeneral }
}

function toSizes({ files }: Description): readonly string[] {
  if (files.length === 0) return []
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return [files.length === 1 ? '1 file' : `${files.length} files`, formatBytes(bytes)]
}

interface DataciteRights {
  readonly rights: string
  readonly rightsUri?: string | undefined
  readonly rightsIdentifier?: string | undefined
  readonly rightsIdentifierScheme?: string
  readonly schemeUri?: string
}

/** The license, and OpenAIRE's word for who may have the files. */
function toRightsList({ rights, access }: Description): readonly DataciteRights[] {
  const until = access.until === undefined ? 'restricted' : 'embargoed'
  const rightsUri = access.files === 'public' ? openAccess : closed[until]
  const right = { rights: access.files === 'public' ? 'Open Access' : `${until} access`, rightsUri }
  if (!rights) return [right]
  const license = {
    rights: rights.name,
    rightsUri: rights.url,
    ...(rights.id !== undefined && {
      rightsIdentifier: rights.id.toLowerCase(),
      rightsIdentifierScheme: 'SPDX',
      schemeUri: 'https://spdx.org/licenses/',
    }),
  }
  return [license, right]
}

function toDescriptions({ description, methods, notes }: Description) {
  return [
    { description, descriptionType: 'Abstract' },
    { description: methods, descriptionType: 'Methods' },
    { description: notes, descriptionType: 'Other' },
  ].flatMap((each) =>
    each.description === undefined ? [] : [{ ...each, description: each.description }],
  )
}

function toGeoLocation({ place, point, box }: Location) {
  return {
    geoLocationPlace: place,
    geoLocationPoint: point && {
      pointLongitude: point.longitude,
      pointLatitude: point.latitude,
    },
    geoLocationBox: box && {
      westBoundLongitude: box.west,
      eastBoundLongitude: box.east,
      southBoundLatitude: box.south,
      northBoundLatitude: box.north,
    },
  }
}

function toFundingReference(funding: Description['funding'][number]) {
  return {
    funderName: funding.funder ?? unavailable,
    funderIdentifier: funding.funderId,
    funderIdentifierType: funding.funderIdType,
    awardNumber: funding.award,
    awardUri: funding.awardUrl,
    awardTitle: funding.awardTitle,
  }
}

/** Lists of DataCite hold nothing twice. */
function distinct<Item extends object>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
