import type { Metadata } from '../../client/deposit-client.ts'
import {
  toPerson,
  filled,
  firstOf,
  isForeign,
  listOf,
  objectsOf,
  textOf,
  textsOf,
  type Foreign,
} from './values.ts'

/**
 * Metadata from a `codemeta.json`.
 *
 * @see https://codemeta.github.io/terms, versions 2 and 3
 */
export function fromCodemeta(codemeta: Foreign): Metadata {
  return filled({
    title: textOf(codemeta['name']),
    creators: objectsOf(codemeta['author']).flatMap((person) => toCreator(person) ?? []),
    contributors: objectsOf(codemeta['contributor']).flatMap((person) => toCreator(person) ?? []),
    description: textOf(codemeta['description']),
    publication_date: textOf(codemeta['datePublished']),
    resource_type: /dataset/i.test(textsOf(codemeta['@type']).join()) ? 'dataset' : 'software',
    license: toLicense(codemeta['license']),
    keywords: textsOf(codemeta['keywords']).flatMap((words) => words.split(/,\s*/)),
    version: textOf(codemeta['version']) ?? textOf(codemeta['softwareVersion']),
    language: textOf(firstOf(codemeta['inLanguage'])),
    related_identifiers: textsOf(codemeta['codeRepository']).map((identifier) => ({
      identifier,
      relation: 'IsSupplementTo',
      scheme: 'url',
    })),
    funding: toFunding(codemeta),
  })
}

function toCreator(person: Foreign): Foreign | undefined {
  const affiliation = listOf(person['affiliation']).flatMap((organisation) =>
    textsOf(isForeign(organisation) ? organisation['name'] : organisation),
  )
  const [given, family] = [person['givenName'], person['familyName']]
  // Prefer the name in parts, which sorts as in citations.
  const name = family === undefined ? person['name'] : undefined
  return toPerson({
    name,
    given,
    family,
    orcid: person['@id'] ?? person['identifier'],
    affiliation,
  })
}

/** An SPDX address, a name, or an object with either. */
function toLicense(license: unknown): string | undefined {
  const first = firstOf(license)
  const text = textOf(isForeign(first) ? (first['@id'] ?? first['url'] ?? first['name']) : first)
  return /spdx\.org\/licenses\/([\w.+-]+?)(?:\.html)?$/.exec(text ?? '')?.[1] ?? text
}

function toFunding(codemeta: Foreign): readonly Foreign[] {
  const award = textOf(codemeta['funding'])
  return listOf(codemeta['funder']).flatMap((organisation) => {
    const funder = textOf(isForeign(organisation) ? organisation['name'] : organisation)
    return funder === undefined ? [] : [filled({ funder, award })]
  })
}
