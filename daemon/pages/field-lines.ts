import {
  identifierTypes,
  relationTypes,
  resourceTypes,
  termOf,
} from '../../core/contract/datacite.ts'
import { toFileAccess } from '../../core/contract/file-access.ts'
import { isJsonObject, rorOf, toIdentifier, type Json, type JsonObject } from '../../core/index.ts'
import { accessLine } from './text/access-line.ts'
import { formatDate, text, translatedTerm } from './text/text.ts'

/** A part of a line, which may lead somewhere. */
export interface Segment {
  readonly text: string
  readonly href?: string
}

/** Parts of a line; the page puts a dot between them. */
type Line = readonly Segment[]

interface KnownField {
  /** Names of an element that its words tell of. */
  readonly names: readonly string[]
  /** @param now ISO 8601, UTC */
  readonly toLine: (element: JsonObject, now: string) => Line
}

const known: Readonly<Record<string, KnownField>> = {
  access: {
    names: ['files', 'until', 'reason'],
    toLine: (access, now) => [
      ...plain(accessLine(toFileAccess(access), now)),
      ...plain(toText(access['reason'])),
    ],
  },
  contributors: {
    names: ['name', 'given_name', 'family_name', 'orcid', 'affiliation', 'role'],
    toLine: toPerson,
  },
  related_identifiers: {
    names: ['identifier', 'relation', 'scheme', 'resource_type'],
    toLine: ({ identifier, relation, scheme, resource_type }) => [
      ...phrase(termOf(relationTypes, toText(relation)) ?? toText(relation)),
      ...linked(toText(identifier), toText(scheme)),
      ...plain(typeName(toText(resource_type))),
    ],
  },
  alternate_identifiers: {
    names: ['identifier', 'scheme'],
    toLine: ({ identifier, scheme }) => [
      ...linked(toText(identifier), toText(scheme)),
      ...plain(termOf(identifierTypes, toText(scheme)) ?? toText(scheme)),
    ],
  },
  subjects: {
    names: ['subject', 'scheme', 'identifier'],
    toLine: ({ subject, scheme, identifier }) => {
      const [target] = linked(toText(identifier))
      return target?.href === undefined
        ? [...plain(toText(subject)), ...plain(toText(scheme)), ...plain(toText(identifier))]
        : [
            { text: toText(subject) || toText(identifier), href: target.href },
            ...plain(toText(scheme)),
          ]
    },
  },
  dates: {
    names: ['date', 'type', 'description'],
    toLine: ({ date, type, description }) => [
      ...phrase(toText(type)),
      ...plain(formatDate(toText(date))),
      ...plain(toText(description)),
    ],
  },
  funding: {
    names: ['funder', 'funder_id', 'award', 'award_title', 'award_uri'],
    toLine: toGrant,
  },
  locations: {
    names: ['place', 'point', 'box'],
    toLine: ({ place, point, box }) => [
      ...plain(toText(place)),
      ...plain(toPoint(point)),
      ...plain(toBox(box)),
    ],
  },
}

/** An organisation as a field of its own, such as a publisher. */
const organisation: KnownField = { names: ['name', 'ror'], toLine: toOrganisation }

/**
 * An element of a field in words, with links; undefined where the field is none of those that are
 * known, or the element has another form.
 *
 * @param now ISO 8601, UTC
 */
export function toKnownLine(name: string, element: Json, now: string): Line | undefined {
  const field = name === 'publisher' ? organisation : Object.hasOwn(known, name) && known[name]
  if (!field) return undefined
  if (typeof element === 'string')
    return name === 'alternate_identifiers' ? linked(element) : undefined
  if (!isJsonObject(element) || !isTold(field, element)) return undefined
  const line = field.toLine(element, now)
  return line.length === 0 ? undefined : line
}

/** Whether the words tell all of an element: no name and no value of it gets lost. */
function isTold({ names }: KnownField, element: JsonObject): boolean {
  return Object.entries(element).every(
    ([name, value]) =>
      names.includes(name) &&
      (typeof value === 'string' ||
        (name === 'affiliation' && Array.isArray(value) && value.every(isOrganisation)) ||
        (name === 'affiliation' && isOrganisation(value)) ||
        (name === 'point' && toPoint(value) !== '') ||
        (name === 'box' && toBox(value) !== '')),
  )
}

function isOrganisation(value: Json): boolean {
  return typeof value === 'string' || (isJsonObject(value) && isTold(organisation, value))
}

/** A person with their role and where they work. */
function toPerson({ name, given_name, family_name, orcid, affiliation, role }: JsonObject): Line {
  const parts = [toText(family_name), toText(given_name)].filter(Boolean).join(', ')
  const id = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.exec(toText(orcid))?.[0]
  return [
    ...plain(toText(name) || parts),
    ...(id === undefined
      ? plain(toText(orcid))
      : [{ text: 'ORCID', href: `https://orcid.org/${id}` }]),
    ...phrase(toText(role)),
    ...[affiliation ?? []].flat().flatMap(toOrganisation),
  ]
}

/** A name, or `{name, ror}`; the name leads to its entry in the registry. */
function toOrganisation(value: Json): Line {
  if (!isJsonObject(value)) return plain(toText(value))
  const [name, ror] = [toText(value['name']), toText(value['ror'])]
  const href = rorOf(ror)
  return href === undefined ? [...plain(name), ...plain(ror)] : [{ text: name || ror, href }]
}

/** Who paid, under which number, for what. */
function toGrant({ funder, funder_id, award, award_title, award_uri }: JsonObject): Line {
  const id = toText(funder_id) || toText(funder)
  const [target] = linked(id)
  const href = rorOf(id) ?? target?.href
  const name = toText(funder) || toText(funder_id)
  const [page] = linked(toText(award_uri))
  const number = toText(award) && text('record.grant', { award: toText(award) })
  const grant = number || toText(award_title) || toText(award_uri)
  return [
    ...(href === undefined
      ? [...plain(name), ...(name === id ? [] : plain(id))]
      : [{ text: name, href }]),
    ...(page?.href === undefined ? plain(grant) : [{ text: grant, href: page.href }]),
    ...(grant === toText(award_title) ? [] : plain(toText(award_title))),
    ...(page?.href === undefined && grant !== toText(award_uri) ? plain(toText(award_uri)) : []),
  ]
}

/** Degrees with their direction: `53.87° N, 8.7° E`. */
function toPoint(value: Json | undefined): string {
  const [latitude, longitude] = numbersIn(value, ['latitude', 'longitude'])
  if (latitude === undefined || longitude === undefined) return ''
  return `${degrees(latitude, 'N', 'S')}, ${degrees(longitude, 'E', 'W')}`
}

/** The two spans of a box: `53° N to 54° N, 7° E to 9° E`. */
function toBox(value: Json | undefined): string {
  const [south, north, west, east] = numbersIn(value, ['south', 'north', 'west', 'east'])
  if (south === undefined || north === undefined || west === undefined || east === undefined)
    return ''
  const span = (from: string, to: string): string => text('record.span', { from, to })
  return [
    span(degrees(south, 'N', 'S'), degrees(north, 'N', 'S')),
    span(degrees(west, 'E', 'W'), degrees(east, 'E', 'W')),
  ].join(', ')
}

/** Numbers of an object that has these fields and no other. */
function numbersIn(value: Json | undefined, names: readonly string[]): readonly number[] {
  if (!isJsonObject(value) || Object.keys(value).length !== names.length) return []
  const numbers = names.map((name) => value[name])
  return numbers.every((number) => typeof number === 'number') ? numbers : []
}

function degrees(value: number, positive: string, negative: string): string {
  if (value === 0) return '0°'
  return `${Math.abs(value)}° ${value < 0 ? negative : positive}`
}

/** An identifier, which leads to what it names where there is a web address for it. */
export function linked(value: string, scheme = ''): Line {
  if (value === '') return []
  const { url } = toIdentifier(value, scheme === '' ? undefined : scheme)
  return [url !== undefined && /^https?:/.test(url) ? { text: value, href: url } : { text: value }]
}

function plain(value: string): Line {
  return value === '' ? [] : [{ text: value }]
}

/** A term in words. */
function phrase(term: string): Line {
  return plain(translatedTerm(inWords(term)))
}

/** `IsSupplementTo` → `Is supplement to`. */
function inWords(term: string): string {
  const words = term.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A resource type in words: `Computational notebook` for `computationalnotebook`. */
export function typeName(type: string): string {
  const term = termOf(resourceTypes, type) ?? type
  return translatedTerm(term === 'Dataset' ? 'Data set' : inWords(term))
}

/** The text, or nothing where it is something else. */
export function toText(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}
