import {
  affiliationsOf,
  doiOf,
  filled,
  firstOf,
  licenseOf,
  objectsOf,
  textOf,
  textsOf,
  toPerson,
  type Foreign,
} from '../foreign-values.ts'

/**
 * Metadata from a `CITATION.cff`.
 *
 * @see https://citation-file-format.github.io, schema 1.2.0
 */
export function fromCitationCff(cff: Foreign): Foreign {
  const doi = doiOf(cff['doi'])
  const identifiers = objectsOf(cff['identifiers'])
  return filled({
    title: textOf(cff['title']),
    creators: objectsOf(cff['authors']).flatMap((author) => toCreator(author) ?? []),
    contributors: objectsOf(cff['contact']).flatMap(toContact),
    description: textOf(cff['abstract']),
    publication_date: textOf(cff['date-released']),
    // The format is for software unless it says otherwise.
    resource_type: cff['type'] === 'dataset' ? 'dataset' : 'software',
    license: textOf(firstOf(cff['license'])) ?? licenseOf(textOf(cff['license-url'])),
    keywords: textsOf(cff['keywords']),
    version: textOf(cff['version']),
    related_identifiers: [
      ...urlsOf(cff).map((identifier) => ({
        identifier,
        relation: 'IsSupplementTo',
        scheme: 'url',
      })),
      ...identifiers.filter(isConcept).flatMap(toIdentifier('IsVersionOf')),
    ],
    doi,
    alternate_identifiers: identifiers
      .filter((each) => !isConcept(each) && (doi === undefined || doiOf(each['value']) !== doi))
      .flatMap(toIdentifier()),
  })
}

/** An author is a person, or an entity with only a name. */
function toCreator(author: Foreign): Foreign | undefined {
  const family = [textOf(author['name-particle']), textOf(author['family-names'])]
  const affiliation = affiliationsOf(author['affiliation'])
  return toPerson({
    name: author['name'],
    given: author['given-names'],
    family: family.filter((part) => part !== undefined).join(' '),
    suffix: author['name-suffix'],
    orcid: author['orcid'],
    affiliation,
  })
}

function toContact(person: Foreign): readonly Foreign[] {
  const contact = toCreator(person)
  return contact === undefined ? [] : [{ ...contact, role: 'ContactPerson' }]
}

function urlsOf(cff: Foreign): readonly string[] {
  return [...new Set(['repository-code', 'repository', 'url'].flatMap((key) => textsOf(cff[key])))]
}

/** True for an identifier that stands for all versions of the work. */
function isConcept({ description }: Foreign): boolean {
  return /concept|all versions/i.test(textOf(description) ?? '')
}

function toIdentifier(relation?: string) {
  return ({ type, value }: Foreign): readonly Foreign[] => {
    const identifier = textOf(value)
    const scheme = type === 'doi' || type === 'url' ? type : undefined
    return identifier === undefined ? [] : [filled({ identifier, relation, scheme })]
  }
}
