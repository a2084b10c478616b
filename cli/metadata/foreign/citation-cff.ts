import type { Metadata } from '../../client/deposit-client.ts'
import { toPerson, filled, firstOf, objectsOf, textOf, textsOf, type Foreign } from './values.ts'

/**
 * Metadata from a `CITATION.cff`.
 *
 * @see https://citation-file-format.github.io, schema 1.2.0
 */
export function fromCitationCff(cff: Foreign): Metadata {
  return filled({
    title: textOf(cff['title']),
    creators: objectsOf(cff['authors']).flatMap((author) => toCreator(author) ?? []),
    contributors: objectsOf(cff['contact']).flatMap((person) => toCreator(person) ?? []),
    description: textOf(cff['abstract']),
    publication_date: textOf(cff['date-released']),
    // The format is for software unless it says otherwise.
    resource_type: cff['type'] === 'dataset' ? 'dataset' : 'software',
    license: textOf(firstOf(cff['license'])),
    keywords: textsOf(cff['keywords']),
    version: textOf(cff['version']),
    related_identifiers: [
      ...urlsOf(cff).map((identifier) => ({
        identifier,
        relation: 'IsSupplementTo',
        scheme: 'url',
      })),
      ...identifiersOf(cff),
    ],
  })
}

/** An author is a person, or an entity with only a name. */
function toCreator(author: Foreign): Foreign | undefined {
  const family = [textOf(author['name-particle']), textOf(author['family-names'])]
  const affiliation = textsOf(author['affiliation'])
  return toPerson({
    name: author['name'],
    given: author['given-names'],
    family: family.filter((part) => part !== undefined).join(' '),
    orcid: author['orcid'],
    affiliation,
  })
}

function urlsOf(cff: Foreign): readonly string[] {
  return [...new Set(['repository-code', 'repository', 'url'].flatMap((key) => textsOf(cff[key])))]
}

/** Identifiers of the work itself; one may stand for all of its versions. */
function identifiersOf(cff: Foreign): readonly Foreign[] {
  const doi = textOf(cff['doi'])
  const own = doi === undefined ? [] : [{ type: 'doi', value: doi }]
  return [...own, ...objectsOf(cff['identifiers'])].flatMap((found: Foreign) => {
    const { type, value, description } = found
    const identifier = textOf(value)
    const relation = /concept|all versions/i.test(textOf(description) ?? '')
      ? 'IsVersionOf'
      : 'IsIdenticalTo'
    const scheme = type === 'doi' || type === 'url' ? { scheme: type } : {}
    return identifier === undefined ? [] : [{ identifier, relation, ...scheme }]
  })
}
