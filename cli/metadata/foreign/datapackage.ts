import { contributorTypes, termOf } from '../../../core/contract/datacite.ts'
import { copyInDatapackage } from '../../../core/contract/own-copy.ts'
import type { Metadata } from '../../client/deposit-client.ts'
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
} from '../../../core/contract/foreign-values.ts'

/** Fields about the form of the package, and the files: nothing of them is metadata of a record. */
const ofPackage = [
  '$schema',
  'profile',
  'name',
  'resources',
  'homepage',
  'image',
  copyInDatapackage,
]

/**
 * Metadata from the `datapackage.json` of a Data Package.
 *
 * @see https://datapackage.org/standard/data-package/, versions 1 and 2
 */
export function fromDatapackage(descriptor: Foreign): Metadata {
  for (const field of ofPackage) skip(descriptor[field])
  const people = objectsOf(descriptor['contributors'])
  const isMaker = (person: Foreign): boolean => rolesOf(person).some((role) => makers.has(role))
  // Without a maker among them, all made it who are not said to have done something else.
  const isOther = (person: Foreign): boolean => dataciteRole(person) !== undefined
  const makersOf = people.filter(people.some(isMaker) ? isMaker : (person) => !isOther(person))
  return filled({
    title: textOf(descriptor['title']),
    creators: makersOf.flatMap((person) => toAgent(person) ?? []),
    contributors: people
      .filter((person) => !makersOf.includes(person))
      .flatMap((person) => toContributor(person)),
    description: textOf(descriptor['description']),
    publication_date: textOf(descriptor['created'])?.slice(0, 10),
    resource_type: 'dataset',
    license: toLicense(firstOf(descriptor['licenses'])),
    keywords: textsOf(descriptor['keywords']),
    version: textOf(descriptor['version']),
    related_identifiers: objectsOf(descriptor['sources']).flatMap(toSource),
    doi: doiOf(unescaped(textOf(descriptor['id']))),
  })
}

/** The text of an address, in which signs may be escaped. */
function unescaped(address = ''): string {
  try {
    return /^https?:/.test(address) ? decodeURIComponent(address) : address
  } catch {
    return address
  }
}

/** Marks a field as read, with all that is in it. */
function skip(value: unknown): void {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(skip)
}

/** Roles of those who are named as creators. Version 1 has one role, with `author` by default. */
const makers: ReadonlySet<string> = new Set(['creator', 'author'])

function rolesOf({ roles, role }: Foreign): readonly string[] {
  return [...textsOf(roles), ...textsOf(role)].map((each) => each.toLowerCase())
}

function toAgent(person: Foreign): Foreign | undefined {
  return toPerson({
    name: person['title'],
    given: person['givenName'],
    family: person['familyName'],
    orcid: person['path'],
    affiliation: affiliationsOf(person['organization']),
  })
}

function toContributor(person: Foreign): readonly Foreign[] {
  const agent = toAgent(person)
  return agent === undefined ? [] : [filled({ ...agent, role: dataciteRole(person) })]
}

function dataciteRole(person: Foreign): string | undefined {
  return rolesOf(person).flatMap((each) => termOf(contributorTypes, each) ?? [])[0]
}

function toLicense(license: unknown): string | undefined {
  if (typeof license !== 'object' || license === null) return textOf(license)
  const { name, path, title } = license as Foreign
  void title
  return textOf(name) ?? licenseOf(textOf(path))
}

function toSource({ title, path }: Foreign): readonly Foreign[] {
  const [name, address] = [textOf(title), textOf(path)]
  const identifier = doiOf(address) ?? doiOf(name) ?? address
  if (identifier === undefined) return []
  const scheme = doiOf(identifier) === undefined ? 'url' : 'doi'
  return [{ identifier, relation: 'IsDerivedFrom', scheme }]
}
