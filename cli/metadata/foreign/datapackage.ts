import { contributorTypes, termOf } from '../../../core/contract/datacite.ts'
import { peek } from '../../../core/contract/foreign/watch.ts'
import { isPartialDate } from '../../../core/contract/metadata-formats.ts'
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
const ofPackage = ['$schema', 'profile', 'name', 'resources', copyInDatapackage]

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
    publication_date: publicationOf(descriptor),
    resource_type: 'dataset',
    license: toLicense(firstOf(descriptor['licenses'])),
    keywords: textsOf(descriptor['keywords']),
    version: textOf(descriptor['version']),
    related_identifiers: [
      ...objectsOf(descriptor['sources']).flatMap(toSource),
      ...toHomepage(descriptor),
    ],
    references: objectsOf(descriptor['sources']).flatMap(toReference),
    ...toIdentifiers(descriptor),
  })
}

/** Names under which the day of the publication is given; none is of the standard. */
const daysOfPublication = [
  'publication_date',
  'publicationDate',
  'datePublished',
  'published',
  'issued',
]

/** The day on which the package was made is that of the publication only where none is named. */
function publicationOf(descriptor: Foreign): string | undefined {
  for (const field of daysOfPublication) {
    const day = dayOf(peek(descriptor)[field])
    if (day === undefined) continue
    void descriptor['created']
    return dayOf(descriptor[field])
  }
  return dayOf(peek(descriptor)['created']) && dayOf(descriptor['created'])
}

function dayOf(value: unknown): string | undefined {
  const day = textOf(value)?.replace(/^(\d{4}-\d\d-\d\d)[T ].*/, '$1')
  return day !== undefined && isPartialDate(day) ? day : undefined
}

/** Our own page of the record is no further address of it. */
function isOwnPage({ name, homepage }: Foreign): boolean {
  return textOf(homepage)?.endsWith(`/records/${textOf(name) ?? '?'}`) === true
}

function toHomepage(descriptor: Foreign): readonly Foreign[] {
  const identifier = textOf(descriptor['homepage'])
  if (identifier === undefined || isOwnPage(peek(descriptor))) return []
  return [{ identifier, relation: 'IsDescribedBy', scheme: 'url' }]
}

function toIdentifiers(descriptor: Foreign): Foreign {
  const id = textOf(descriptor['id'])
  const doi = doiOf(unescaped(id))
  const { homepage } = peek(descriptor)
  const isNamed = id === undefined || doi !== undefined || id === textOf(homepage)
  return { doi, alternate_identifiers: isNamed ? [] : [{ identifier: id }] }
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
    orcid: isOrcid(peek(person)['path']) ? person['path'] : undefined,
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

/** A source by its address; a title that repeats it is none. */
function toSource(source: Foreign): readonly Foreign[] {
  const { title, path } = peek(source)
  const [name, address] = [textOf(title), textOf(path)]
  const identifier = doiOf(address) ?? doiOf(name) ?? address
  if (identifier === undefined) return []
  void source['path']
  if (name !== undefined && (address ?? name).endsWith(name)) void source['title']
  const scheme = doiOf(identifier) === undefined ? 'url' : 'doi'
  return [{ identifier, relation: 'IsDerivedFrom', scheme }]
}

function toReference(source: Foreign): readonly string[] {
  const { title, path } = peek(source)
  const isNamed = textOf(path) !== undefined || doiOf(title) !== undefined
  return isNamed ? [] : textsOf(firstOf(source['title']))
}

function isOrcid(value: unknown): boolean {
  return /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/.test(textOf(value) ?? '')
}
