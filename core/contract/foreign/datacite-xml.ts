import { contributorTypes, dateTypes, relationTypes, termOf } from '../datacite.ts'
import { isDateOrPeriod } from '../metadata-formats.ts'
import {
  doiOf,
  filled,
  licenseOf,
  numberOf,
  textOf,
  toPerson,
  type Foreign,
} from '../foreign-values.ts'
import { fromMaybeHtml } from '../html-text.ts'
import { parseXml, type XmlElement } from './xml.ts'
import { spdxOf } from '../zenodo-metadata.ts'

/**
 * Metadata from a `datacite.xml`; undefined for another document, and one that is not well-formed.
 *
 * @see https://schema.datacite.org/meta/kernel-4.7/
 */
export function fromDataciteXml(xml: string): Foreign | undefined {
  const root = parseXml(xml)
  if (root?.name !== 'resource') return undefined
  const subjects = all(root, 'subjects', 'subject')
  const hasScheme = ({ attributes }: XmlElement): boolean =>
    attributes['subjectScheme'] !== undefined || attributes['valueURI'] !== undefined
  const titles = all(root, 'titles', 'title')
  const main = titles.find(({ attributes }) => attributes['titleType'] === undefined)
  return filled({
    title: said(main ?? titles[0]),
    creators: all(root, 'creators', 'creator').flatMap(
      (each) => toAgent(each, 'creatorName') ?? [],
    ),
    contributors: all(root, 'contributors', 'contributor').flatMap(toContributor),
    description: describedAs(root, 'Abstract'),
    methods: describedAs(root, 'Methods'),
    publication_date: issuedOn(root) ?? said(one(root, 'publicationYear')),
    publisher: said(one(root, 'publisher')),
    resource_type: one(root, 'resourceType')?.attributes['resourceTypeGeneral']?.toLowerCase(),
    license: toLicense(all(root, 'rightsList', 'rights')),
    keywords: subjects.filter((each) => !hasScheme(each)).flatMap((each) => said(each) ?? []),
    subjects: subjects.filter(hasScheme).flatMap(toSubject),
    version: said(one(root, 'version')),
    language: said(one(root, 'language')),
    doi: doiOf(said(one(root, 'identifier'))),
    alternate_identifiers: all(root, 'alternateIdentifiers', 'alternateIdentifier').flatMap(
      (each) => identified(each, 'alternateIdentifierType'),
    ),
    related_identifiers: all(root, 'relatedIdentifiers', 'relatedIdentifier').flatMap(toRelated),
    dates: all(root, 'dates', 'date').flatMap(toDate),
    locations: all(root, 'geoLocations', 'geoLocation').flatMap(toLocation),
    funding: all(root, 'fundingReferences', 'fundingReference').flatMap(toFunding),
  })
}

function one(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name)
}

/** The items of a list, such as `creators`. */
function all(root: XmlElement, list: string, name: string): readonly XmlElement[] {
  return one(root, list)?.children.filter((child) => child.name === name) ?? []
}

/** The text of an element; undefined for DataCite's codes for values that are not known. */
function said(element: XmlElement | undefined): string | undefined {
  const text = textOf(element?.text)
  return text !== undefined && /^:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|etal)$/.test(text)
    ? undefined
    : text
}

function describedAs(root: XmlElement, type: string): string | undefined {
  const text = said(
    all(root, 'descriptions', 'description').find(
      ({ attributes }) => attributes['descriptionType'] === type,
    ),
  )
  // Many services register descriptions in HTML.
  return text === undefined ? undefined : fromMaybeHtml(text)
}

function issuedOn(root: XmlElement): string | undefined {
  const dates = all(root, 'dates', 'date')
  return said(dates.find(({ attributes }) => attributes['dateType'] === 'Issued'))
}

function toAgent(agent: XmlElement, name: string): Foreign | undefined {
  const orcid = agent.children.find(
    (child) =>
      child.name === 'nameIdentifier' &&
      /orcid/i.test(child.attributes['nameIdentifierScheme'] ?? ''),
  )
  const affiliation = agent.children
    .filter((child) => child.name === 'affiliation')
    .flatMap((each): readonly (string | Foreign)[] => {
      const [text, id] = [said(each), each.attributes['affiliationIdentifier']]
      const [ror] = /0[a-z\d]{6}\d{2}$/.exec(id ?? '') ?? []
      const isRor =
        ror !== undefined && /ror/i.test(`${id} ${each.attributes['affiliationIdentifierScheme']}`)
      if (text === undefined) return []
      return [isRor ? { name: text, ror: `https://ror.org/${ror}` } : text]
    })
  return toPerson({
    name: said(one(agent, name)),
    given: said(one(agent, 'givenName')),
    family: said(one(agent, 'familyName')),
    orcid: said(orcid),
    affiliation,
  })
}

function toContributor(contributor: XmlElement): readonly Foreign[] {
  const person = toAgent(contributor, 'contributorName')
  const role = termOf(contributorTypes, contributor.attributes['contributorType'] ?? '')
  return person === undefined ? [] : [filled({ ...person, role })]
}

/** The identifier of SPDX, an address, or a text. */
function toLicense(rights: readonly XmlElement[]): string | undefined {
  const named = rights.find(({ attributes }) =>
    /spdx/i.test(attributes['rightsIdentifierScheme'] ?? ''),
  )
  const [first] = rights
  const address = first?.attributes['rightsURI']
  const isAccess = /info:eu-repo|access_right|coar|\baccess$/i.test(address ?? said(first) ?? '')
  const id = named?.attributes['rightsIdentifier']
  if (id !== undefined) return spdxOf(id)
  return isAccess ? undefined : licenseOf(address ?? said(first))
}

function toSubject(element: XmlElement): readonly Foreign[] {
  const { subjectScheme: scheme, valueURI: identifier } = element.attributes
  const subject = said(element)
  return subject === undefined ? [] : [filled({ subject, scheme, identifier })]
}

function identified(element: XmlElement, type: string): readonly Foreign[] {
  const identifier = said(element)
  return identifier === undefined ? [] : [filled({ identifier, scheme: element.attributes[type] })]
}

function toRelated(element: XmlElement): readonly Foreign[] {
  const relation = termOf(relationTypes, element.attributes['relationType'] ?? '')
  if (relation === undefined) return []
  return identified(element, 'relatedIdentifierType').map((found) => ({ ...found, relation }))
}

function toDate(element: XmlElement): readonly Foreign[] {
  const [date, type] = [said(element), termOf(dateTypes, element.attributes['dateType'] ?? '')]
  const isTaken = date !== undefined && type !== undefined && type !== 'Issued'
  return isTaken && isDateOrPeriod(date) ? [{ date, type: type.toLowerCase() }] : []
}

function toLocation(element: XmlElement): readonly Foreign[] {
  const [at, around] = [one(element, 'geoLocationPoint'), one(element, 'geoLocationBox')]
  const degrees = (shape: XmlElement | undefined, name: string) => numberOf(said(one(shape, name)))
  const point = filled({
    latitude: degrees(at, 'pointLatitude'),
    longitude: degrees(at, 'pointLongitude'),
  })
  const box = filled({
    west: degrees(around, 'westBoundLongitude'),
    east: degrees(around, 'eastBoundLongitude'),
    south: degrees(around, 'southBoundLatitude'),
    north: degrees(around, 'northBoundLatitude'),
  })
  const location = filled({
    place: said(one(element, 'geoLocationPlace')),
    point: Object.keys(point).length === 2 ? point : undefined,
    box: Object.keys(box).length === 4 ? box : undefined,
  })
  return Object.keys(location).length === 0 ? [] : [location]
}

function toFunding(element: XmlElement): readonly Foreign[] {
  const number = one(element, 'awardNumber')
  const funding = filled({
    funder: said(one(element, 'funderName')),
    funder_id: said(one(element, 'funderIdentifier')),
    award: said(number),
    award_title: said(one(element, 'awardTitle')),
    award_uri: number?.attributes['awardURI'],
  })
  return funding['funder'] === undefined ? [] : [funding]
}
