import { toDataciteAttributes, type DataciteAttributes } from './datacite-attributes.ts'
import type { ExportFormat } from './format.ts'
import { document, element, optional, wrap, type Markup } from './xml.ts'

const namespace = 'http://datacite.org/schema/kernel-4'

/** @see https://schema.datacite.org/meta/kernel-4.7/ */
export const dataciteXml: ExportFormat = {
  name: 'datacite-xml',
  title: 'DataCite XML',
  mediaTypes: ['application/vnd.datacite.datacite+xml'],
  profile: namespace,
  suffix: '-datacite',
  extension: '.xml',
  write: (about) => document(toResource(toDataciteAttributes(about))),
}

/** The root element; it stands in the answers of other protocols, too. */
function toResource(about: DataciteAttributes): Markup {
  const head = {
    xmlns: namespace,
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': `${namespace} https://schema.datacite.org/meta/kernel-4.7/metadata.xsd`,
  }
  const { types, publisher } = about
  return element('resource', head, [
    ...about.identifiers.map(({ identifier, identifierType }) =>
      element('identifier', { identifierType }, identifier),
    ),
    wrap(
      'creators',
      about.creators.map((each) => element('creator', {}, toName('creatorName', each))),
    ),
    wrap(
      'titles',
      about.titles.map(({ title }) => element('title', {}, title)),
    ),
    element(
      'publisher',
      {
        publisherIdentifier: publisher.publisherIdentifier,
        publisherIdentifierScheme: publisher.publisherIdentifierScheme,
        schemeURI: publisher.schemeUri,
      },
      publisher.name,
    ),
    element('publicationYear', {}, String(about.publicationYear).padStart(4, '0')),
    element('resourceType', { resourceTypeGeneral: types.resourceTypeGeneral }, types.resourceType),
    wrap(
      'subjects',
      about.subjects?.map(({ subject, subjectScheme, valueUri }) =>
        element('subject', { subjectScheme, valueURI: valueUri }, subject),
      ),
    ),
    wrap(
      'contributors',
      about.contributors?.map((each) =>
        element(
          'contributor',
          { contributorType: each.contributorType },
          toName('contributorName', each),
        ),
      ),
    ),
    wrap(
      'dates',
      about.dates.map(({ date, dateType, dateInformation }) =>
        element('date', { dateType, dateInformation }, date),
      ),
    ),
    optional('language', about.language),
    wrap(
      'alternateIdentifiers',
      about.alternateIdentifiers?.map(({ alternateIdentifier, alternateIdentifierType }) =>
        element('alternateIdentifier', { alternateIdentifierType }, alternateIdentifier),
      ),
    ),
    wrap(
      'relatedIdentifiers',
      about.relatedIdentifiers?.map(({ relatedIdentifier, ...attributes }) =>
        element('relatedIdentifier', attributes, relatedIdentifier),
      ),
    ),
    wrap('sizes', texts('size', about.sizes)),
    wrap('formats', texts('format', about.formats)),
    optional('version', about.version),
    wrap(
      'rightsList',
      about.rightsList.map(({ rights, rightsUri, schemeUri, ...attributes }) =>
        element('rights', { rightsURI: rightsUri, ...attributes, schemeURI: schemeUri }, rights),
      ),
    ),
    wrap(
      'descriptions',
      about.descriptions?.map(({ description, descriptionType }) =>
        element('description', { descriptionType }, description),
      ),
    ),
    wrap('geoLocations', about.geoLocations?.map(toLocation)),
    wrap('fundingReferences', about.fundingReferences?.map(toFunding)),
  ])
}

type Person = DataciteAttributes['creators'][number]

function toName(name: string, person: Person): readonly (Markup | undefined)[] {
  if (!('nameType' in person)) return [element(name, {}, person.name)]
  return [
    element(name, { nameType: person.nameType }, person.name),
    optional('givenName', person.givenName),
    optional('familyName', person.familyName),
    ...(person.nameIdentifiers ?? []).map(({ nameIdentifier, nameIdentifierScheme, schemeUri }) =>
      element('nameIdentifier', { nameIdentifierScheme, schemeURI: schemeUri }, nameIdentifier),
    ),
    ...(person.affiliation ?? []).map(({ name: affiliation, schemeUri, ...attributes }) =>
      element('affiliation', { ...attributes, schemeURI: schemeUri }, affiliation),
    ),
  ]
}

function texts(name: string, list: readonly string[] | undefined): readonly Markup[] | undefined {
  return list?.map((text) => element(name, {}, text))
}

type Locations = NonNullable<DataciteAttributes['geoLocations']>

function toLocation(location: Locations[number]): Markup {
  return element('geoLocation', {}, [
    optional('geoLocationPlace', location.geoLocationPlace),
    location.geoLocationPoint && degrees('geoLocationPoint', location.geoLocationPoint),
    location.geoLocationBox && degrees('geoLocationBox', location.geoLocationBox),
  ])
}

function degrees(name: string, values: Readonly<Record<string, number>>): Markup {
  const inner = Object.entries(values).map(([key, value]) => element(key, {}, value))
  return element(name, {}, inner)
}

type FundingReferences = NonNullable<DataciteAttributes['fundingReferences']>

function toFunding(funding: FundingReferences[number]): Markup {
  const { funderIdentifier, funderIdentifierType, awardNumber, awardUri } = funding
  return element('fundingReference', {}, [
    element('funderName', {}, funding.funderName),
    funderIdentifier === undefined
      ? undefined
      : element('funderIdentifier', { funderIdentifierType }, funderIdentifier),
    awardNumber === undefined && awardUri === undefined
      ? undefined
      : element('awardNumber', { awardURI: awardUri }, awardNumber ?? ''),
    optional('awardTitle', funding.awardTitle),
  ])
}
