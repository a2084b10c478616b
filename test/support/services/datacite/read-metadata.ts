import type { Json } from '../exchange.ts'
import { childOf, childrenOf, type XmlElement } from './xml-tree.ts'

/**
 * Attributes of the REST API that DataCite XML says.
 * @see https://github.com/datacite/bolognese `lib/bolognese/readers/datacite_reader.rb`
 */
export function readMetadata(resource: XmlElement): Json {
  const type = childOf(resource, 'resourceType')
  const publisher = childOf(resource, 'publisher')
  const each = (group: string, item: string, read: (element: XmlElement) => Json) =>
    childrenOf(childOf(resource, group), item).map(read)
  return present({
    schemaVersion: resource.namespace,
    creators: each('creators', 'creator', person),
    titles: each('titles', 'title', (title) =>
      present({ title: clean(title), ...named(title, 'titleType') }),
    ),
    publisher:
      publisher &&
      present({
        name: clean(publisher),
        ...named(publisher, 'publisherIdentifier', 'publisherIdentifierScheme'),
      }),
    publicationYear: Number(textOf(resource, 'publicationYear')) || undefined,
    types: type && present({ ...named(type, 'resourceTypeGeneral'), resourceType: clean(type) }),
    subjects: each('subjects', 'subject', (subject) =>
      present({
        subject: clean(subject),
        ...named(subject, 'subjectScheme', 'valueURI', 'classificationCode'),
      }),
    ),
    contributors: each('contributors', 'contributor', (contributor) => ({
      ...person(contributor),
      ...named(contributor, 'contributorType'),
    })),
    dates: each('dates', 'date', (date) =>
      present({ date: clean(date), ...named(date, 'dateType', 'dateInformation') }),
    ),
    language: textOf(resource, 'language'),
    identifiers: each('alternateIdentifiers', 'alternateIdentifier', (other) =>
      present({
        identifier: clean(other),
        identifierType: other.attributes['alternateIdentifierType'],
      }),
    ),
    relatedIdentifiers: each('relatedIdentifiers', 'relatedIdentifier', (related) =>
      present({
        relatedIdentifier: clean(related),
        ...named(related, 'relatedIdentifierType', 'relationType', 'resourceTypeGeneral'),
      }),
    ),
    sizes: childrenOf(childOf(resource, 'sizes'), 'size').map(clean),
    formats: childrenOf(childOf(resource, 'formats'), 'format').map(clean),
    version: textOf(resource, 'version'),
    rightsList: each('rightsList', 'rights', (rights) =>
      present({
        rights: clean(rights),
        ...named(rights, 'rightsURI', 'rightsIdentifier', 'rightsIdentifierScheme'),
      }),
    ),
    descriptions: each('descriptions', 'description', (description) =>
      present({ description: clean(description), ...named(description, 'descriptionType') }),
    ),
    geoLocations: each('geoLocations', 'geoLocation', place),
    fundingReferences: each('fundingReferences', 'fundingReference', funding),
  })
}

const clean = ({ text }: XmlElement): string => text.trim()

const textOf = (element: XmlElement, name: string): string | undefined =>
  childOf(element, name)?.text.trim()

const present = (values: Record<string, unknown>): Json =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  )

/** Attributes by their names in JSON: `schemeURI` is `schemeUri` there, `xml:lang` is `lang`. */
function named({ attributes }: XmlElement, ...names: readonly string[]): Json {
  const all = [...names, 'schemeURI', 'xml:lang'].map((name) => [
    name.replace('URI', 'Uri').replace('xml:', ''),
    attributes[name],
  ])
  return present(Object.fromEntries(all) as Record<string, unknown>)
}

function person(element: XmlElement): Json {
  const name = childOf(element, 'creatorName') ?? childOf(element, 'contributorName')
  return present({
    name: name && clean(name),
    nameType: name?.attributes['nameType'],
    givenName: textOf(element, 'givenName'),
    familyName: textOf(element, 'familyName'),
    nameIdentifiers: childrenOf(element, 'nameIdentifier').map((identifier) =>
      present({ nameIdentifier: clean(identifier), ...named(identifier, 'nameIdentifierScheme') }),
    ),
    affiliation: childrenOf(element, 'affiliation').map((affiliation) =>
      present({
        name: clean(affiliation),
        ...named(affiliation, 'affiliationIdentifier', 'affiliationIdentifierScheme'),
      }),
    ),
  })
}

function place(element: XmlElement): Json {
  const numbers = (name: string) => {
    const found = childOf(element, name)
    return (
      found && Object.fromEntries(found.children.map((child) => [child.name, Number(child.text)]))
    )
  }
  return present({
    geoLocationPlace: textOf(element, 'geoLocationPlace'),
    geoLocationPoint: numbers('geoLocationPoint'),
    geoLocationBox: numbers('geoLocationBox'),
  })
}

function funding(element: XmlElement): Json {
  const identifier = childOf(element, 'funderIdentifier')
  const award = childOf(element, 'awardNumber')
  return present({
    funderName: textOf(element, 'funderName'),
    ...(identifier && {
      funderIdentifier: clean(identifier),
      ...named(identifier, 'funderIdentifierType'),
    }),
    ...(award && { awardNumber: clean(award), ...named(award, 'awardURI') }),
    awardTitle: textOf(element, 'awardTitle'),
  })
}
