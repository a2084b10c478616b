import { asJson, asList, asText, isJson, type Json } from '../exchange.ts'
import { writeElement } from './xml-tree.ts'

/**
 * Writes attributes of the REST API as DataCite XML, in the order and with the defaults of DataCite's
 * own writer: a list that is missing but mandatory becomes an empty element, which the schema refuses.
 * @see https://github.com/datacite/bolognese `lib/bolognese/datacite_utils.rb`
 */
export function writeMetadata(doi: string, metadata: Json): string {
  const { publicationYear, language, version } = metadata
  const root = {
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    xmlns: 'http://datacite.org/schema/kernel-4',
    'xsi:schemaLocation':
      'http://datacite.org/schema/kernel-4 http://schema.datacite.org/meta/kernel-4/metadata.xsd',
  }
  const content = [
    writeElement('identifier', { identifierType: 'DOI' }, doi),
    writeElement('creators', {}, people(metadata['creators'], 'creator')),
    writeElement('titles', {}, titles(metadata['titles'])),
    publisher(metadata['publisher']),
    writeElement('publicationYear', {}, asText(publicationYear)),
    ...resourceType(metadata['types']),
    ...list('subjects', metadata['subjects'], subject),
    ...list('contributors', metadata['contributors'], undefined, (all) =>
      people(all, 'contributor'),
    ),
    ...list('dates', metadata['dates'], date),
    ...(language ? [writeElement('language', {}, asText(language))] : []),
    ...list('alternateIdentifiers', metadata['identifiers'], alternate),
    ...list('relatedIdentifiers', metadata['relatedIdentifiers'], related),
    ...list('relatedItems', metadata['relatedItems'], relatedItem),
    writeElement(
      'sizes',
      {},
      asList(metadata['sizes']).map((size) => writeElement('size', {}, asText(size))),
    ),
    writeElement(
      'formats',
      {},
      asList(metadata['formats']).map((format) => writeElement('format', {}, asText(format))),
    ),
    ...(version ? [writeElement('version', {}, asText(version))] : []),
    ...list('rightsList', metadata['rightsList'], rights),
    ...list('descriptions', metadata['descriptions'], description),
    ...list('geoLocations', metadata['geoLocations'], place),
    ...list('fundingReferences', metadata['fundingReferences'], funding),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement('resource', root, content)}\n`
}

function list(
  name: string,
  value: unknown,
  write: (item: Json) => string = () => '',
  all: (value: unknown) => readonly string[] = (items) =>
    asList(items).map((item) => write(asJson(item))),
): readonly string[] {
  return asList(value).length === 0 ? [] : [writeElement(name, {}, all(value))]
}

function people(value: unknown, role: 'creator' | 'contributor'): readonly string[] {
  return asList(value).map((item) => {
    const person = asJson(item)
    const { givenName, familyName, nameType, contributorType } = person
    const whole = familyName
      ? [familyName, givenName].filter(Boolean).map(asText).join(', ')
      : asText(person['name'])
    const part = (name: string, text: unknown) =>
      text ? [writeElement(name, {}, asText(text))] : []
    const content = [
      writeElement(`${role}Name`, { nameType }, whole),
      ...part('givenName', givenName),
      ...part('familyName', familyName),
      ...asList(person['nameIdentifiers']).map((identifier) => {
        const { nameIdentifier, nameIdentifierScheme, schemeUri } = asJson(identifier)
        const attributes = { nameIdentifierScheme, schemeURI: schemeUri }
        return writeElement('nameIdentifier', attributes, asText(nameIdentifier))
      }),
      ...asList(person['affiliation']).map((affiliation) => {
        if (!isJson(affiliation)) return writeElement('affiliation', {}, asText(affiliation))
        const { name, affiliationIdentifier, affiliationIdentifierScheme, schemeUri } = affiliation
        const attributes = {
          affiliationIdentifier,
          affiliationIdentifierScheme,
          schemeURI: schemeUri,
        }
        return writeElement('affiliation', attributes, asText(name))
      }),
    ]
    return writeElement(role, role === 'contributor' ? { contributorType } : {}, content)
  })
}

const titles = (value: unknown): readonly string[] =>
  asList(value).map((item) => {
    const { title, titleType, lang } = asJson(item)
    return writeElement('title', { titleType, 'xml:lang': lang }, asText(title))
  })

function publisher(value: unknown): string {
  if (!isJson(value)) return writeElement('publisher', {}, asText(value))
  const { name, publisherIdentifier, publisherIdentifierScheme, schemeUri, lang } = value
  const attributes = {
    publisherIdentifier,
    publisherIdentifierScheme,
    schemeURI: schemeUri,
    'xml:lang': lang,
  }
  return writeElement('publisher', attributes, asText(name))
}

function resourceType(value: unknown): readonly string[] {
  if (!isJson(value)) return []
  const general = value['resourceTypeGeneral'] ?? 'Other'
  return [
    writeElement('resourceType', { resourceTypeGeneral: general }, asText(value['resourceType'])),
  ]
}

function subject({
  subject: text,
  subjectScheme,
  schemeUri,
  valueUri,
  classificationCode,
  lang,
}: Json): string {
  const attributes = {
    subjectScheme,
    schemeURI: schemeUri,
    valueURI: valueUri,
    classificationCode,
    'xml:lang': lang,
  }
  return writeElement('subject', attributes, asText(text))
}

const date = ({ date: day, dateType = 'Issued', dateInformation }: Json): string =>
  writeElement('date', { dateType, dateInformation }, asText(day))

const alternate = ({ identifier, identifierType }: Json): string =>
  writeElement(
    'alternateIdentifier',
    { alternateIdentifierType: identifierType },
    asText(identifier),
  )

function related({
  relatedIdentifier,
  relatedIdentifierType,
  relationType,
  resourceTypeGeneral,
}: Json): string {
  const attributes = { relatedIdentifierType, relationType, resourceTypeGeneral }
  return writeElement('relatedIdentifier', attributes, asText(relatedIdentifier))
}

function relatedItem({ relatedItemType, relationType, ...item }: Json): string {
  const { relatedItemIdentifier, relatedItemIdentifierType } = asJson(item['relatedItemIdentifier'])
  const identifier = relatedItemIdentifier
    ? [
        writeElement(
          'relatedItemIdentifier',
          { relatedItemIdentifierType },
          asText(relatedItemIdentifier),
        ),
      ]
    : []
  const plain = [
    'publicationYear',
    'volume',
    'issue',
    'number',
    'firstPage',
    'lastPage',
    'publisher',
    'edition',
  ]
  const rest = plain.flatMap((name) =>
    item[name] ? [writeElement(name, {}, asText(item[name]))] : [],
  )
  const creators = asList(item['creators'])
  return writeElement('relatedItem', { relatedItemType, relationType }, [
    ...identifier,
    ...(creators.length > 0 ? [writeElement('creators', {}, people(creators, 'creator'))] : []),
    writeElement('titles', {}, titles(item['titles'])),
    ...rest,
  ])
}

function rights({
  rights: text,
  rightsUri,
  rightsIdentifier,
  rightsIdentifierScheme,
  schemeUri,
  lang,
}: Json): string {
  const attributes = {
    rightsURI: rightsUri,
    rightsIdentifier,
    rightsIdentifierScheme,
    schemeURI: schemeUri,
    'xml:lang': lang,
  }
  return writeElement('rights', attributes, asText(text))
}

const description = ({ description: text, descriptionType = 'Abstract', lang }: Json): string =>
  writeElement('description', { 'xml:lang': lang, descriptionType }, asText(text))

function place(location: Json): string {
  const { geoLocationPlace, geoLocationPoint, geoLocationBox, geoLocationPolygon } = location
  const coordinates = (name: string, value: unknown, keys: readonly string[]) =>
    value
      ? [
          writeElement(
            name,
            {},
            keys.map((key) => writeElement(key, {}, asText(asJson(value)[key]))),
          ),
        ]
      : []
  const point = ['pointLatitude', 'pointLongitude']
  const box = [
    'westBoundLongitude',
    'eastBoundLongitude',
    'southBoundLatitude',
    'northBoundLatitude',
  ]
  const polygon = asList(geoLocationPolygon).flatMap((corner) => {
    const { polygonPoint, inPolygonPoint } = asJson(corner)
    return [
      ...coordinates('polygonPoint', polygonPoint, point),
      ...coordinates('inPolygonPoint', inPolygonPoint, point),
    ]
  })
  return writeElement('geoLocation', {}, [
    ...(geoLocationPlace ? [writeElement('geoLocationPlace', {}, asText(geoLocationPlace))] : []),
    ...coordinates('geoLocationPoint', geoLocationPoint, point),
    ...coordinates('geoLocationBox', geoLocationBox, box),
    ...(polygon.length > 0 ? [writeElement('geoLocationPolygon', {}, polygon)] : []),
  ])
}

function funding(reference: Json): string {
  const { funderName, funderIdentifier, funderIdentifierType, awardNumber, awardUri, awardTitle } =
    reference
  return writeElement('fundingReference', {}, [
    writeElement('funderName', {}, asText(funderName)),
    ...(funderIdentifier
      ? [writeElement('funderIdentifier', { funderIdentifierType }, asText(funderIdentifier))]
      : []),
    ...(awardNumber || awardUri
      ? [writeElement('awardNumber', { awardURI: awardUri }, asText(awardNumber))]
      : []),
    ...(awardTitle ? [writeElement('awardTitle', {}, asText(awardTitle))] : []),
  ])
}
