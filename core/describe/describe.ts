import { isOpenAt, toFileAccess, type FileAccess } from '../contract/file-access.ts'
import { dateTypes, relationTypes, resourceTypes, termOf } from '../contract/datacite.ts'
import { isDateOrPeriod, isPartialDate } from '../contract/metadata-formats.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { toAgent, toContributor, toFunding, toOrganization } from './agents.ts'
import type {
  Access,
  DatedEvent,
  DescribedFile,
  Description,
  Exported,
  Identifier,
  Location,
  Organization,
  Relation,
  ResourceType,
  Subject,
} from './description.ts'
import { doiOf, doiUrl, toIdentifier } from './identifiers.ts'
import { toRights } from './rights.ts'
import { lineOf, linesOf, listOf, objectsOf, textOf, webAddress } from './values.ts'

/** The data that a description is made from. */
export interface Source {
  readonly id: string
  readonly isDraft: boolean
  readonly revision: number
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
  /** When this state of the document was made, where that is not `updated`. */
  readonly made?: string | undefined
  /** The user's document. */
  readonly metadata: JsonObject
  /** Who may have the files, where it is not the document that says so: of an earlier revision, or a part of it. */
  readonly access?: FileAccess
  /** Seconds until the files open by themselves. */
  readonly opensIn?: number | undefined
  /** The DOI that this service registered for it, which counts more than one in the document. */
  readonly doi?: { readonly value: string; readonly url: string } | undefined
  /** By default `public`. */
  readonly standing?: Description['standing']
  /** Further identifiers that this service gave it, such as an ARK. */
  readonly identifiers?: readonly Identifier[]
  /** The same with the fields of the service. */
  readonly document: JsonObject
  readonly files: readonly DescribedFile[]
  /** Address of the page. */
  readonly url: string
  readonly links: Readonly<Record<string, string>>
  readonly exports: readonly Exported[]
  readonly concept?: string | undefined
  readonly previous?: string | undefined
  readonly next?: string | undefined
  /** DOIs of those three, as far as they have one: they are told by it. */
  readonly dois?: Readonly<Partial<Record<'concept' | 'previous' | 'next', string>>>
  /** The publisher of records that name none. */
  readonly publisher: Organization
  /** Scheme and host of the service. */
  readonly origin: string
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string
}

/** Describes a record, or a draft as it would be. The same source has the same description. */
export function describe(source: Source): Description {
  const { metadata, publisher, url } = source
  const date = toDate(metadata['publication_date']) ?? source.created.slice(0, 10)
  const other = doiOf(lineOf(metadata['doi']))
  const doi = source.doi?.value ?? other
  const doiAddress = source.doi?.url ?? (other && doiUrl(other))
  const access = toAccess(source.access ?? toFileAccess(metadata['access']), source.today)
  return {
    id: source.id,
    isDraft: source.isDraft,
    revision: source.revision,
    created: source.created,
    updated: source.updated,
    modified: source.made ?? source.updated,
    url,
    doi,
    citedAs: doiAddress ?? url,
    standing: source.standing ?? 'public',
    title: lineOf(metadata['title']),
    creators: listOf(metadata['creators']).flatMap(toAgent),
    contributors: listOf(metadata['contributors']).flatMap(toContributor),
    publisher: toOrganization(metadata['publisher'] ?? null)[0] ?? publisher,
    date,
    year: date.slice(0, 4),
    resourceType: toResourceType(metadata['resource_type']),
    description: textOf(metadata['description']),
    methods: textOf(metadata['methods']),
    notes: textOf(metadata['notes']),
    keywords: linesOf(metadata['keywords']),
    subjects: listOf(metadata['subjects']).flatMap(toSubject),
    rights: toRights(metadata['license']),
    version: lineOf(metadata['version']),
    language: toLanguage(metadata['language']),
    dates: objectsOf(metadata['dates']).flatMap(toDatedEvent),
    relations: objectsOf(metadata['related_identifiers']).flatMap(toRelation),
    references: linesOf(metadata['references']),
    funding: toFunding(metadata['funding']),
    locations: objectsOf(metadata['locations']).flatMap(toLocation),
    alternateIdentifiers: toAlternates(source),
    access,
    files: access.files === 'public' ? source.files : [],
    concept: source.concept,
    previous: source.previous,
    next: source.next,
    versions: toVersions(source),
    catalog: { name: publisher.name, url: `${source.origin}/` },
    links: source.links,
    exports: source.exports,
    document: source.document,
  }
}

/** A date; of a period its beginning. */
function toDate(value: Json | undefined): string | undefined {
  const [start = ''] = (lineOf(value) ?? '').split('/')
  return isPartialDate(start) ? start : undefined
}

export function toResourceType(value: Json | undefined): ResourceType | undefined {
  const id = lineOf(value)
  return id === undefined ? undefined : { id, general: termOf(resourceTypes, id) ?? 'Other' }
}

function toLanguage(value: Json | undefined): string | undefined {
  const tag = lineOf(value)
  return tag !== undefined && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i.test(tag) ? tag : undefined
}

/** A term alone, or with the scheme it is taken from. */
function toSubject(value: Json): readonly Subject[] {
  if (!isJsonObject(value)) {
    const subject = lineOf(value)
    return subject === undefined ? [] : [{ subject, scheme: undefined, url: undefined }]
  }
  const subject = lineOf(value['subject'])
  if (subject === undefined) return []
  const url = webAddress(value['identifier'])
  return [{ subject, scheme: lineOf(value['scheme']), url }]
}

function toDatedEvent(event: JsonObject): readonly DatedEvent[] {
  const date = lineOf(event['date'])
  if (date === undefined || !isDateOrPeriod(date)) return []
  const type = termOf(dateTypes, lineOf(event['type']) ?? '') ?? 'Other'
  return [{ date, type, description: lineOf(event['description']) }]
}

/** Only relations that DataCite knows: the others say nothing to others. */
function toRelation(related: JsonObject): readonly Relation[] {
  const identifier = lineOf(related['identifier'])
  const relation = termOf(relationTypes, lineOf(related['relation']) ?? '')
  if (identifier === undefined || relation === undefined) return []
  const resourceType = termOf(resourceTypes, lineOf(related['resource_type']) ?? '')
  return [{ ...toIdentifier(identifier, lineOf(related['scheme'])), relation, resourceType }]
}

function toVersions({ concept, previous, next, dois = {} }: Source): readonly Relation[] {
  const related = [
    { relation: 'IsVersionOf', page: concept, doi: dois.concept },
    { relation: 'IsNewVersionOf', page: previous, doi: dois.previous },
    { relation: 'IsPreviousVersionOf', page: next, doi: dois.next },
  ]
  return related.flatMap(({ relation, page, doi }) => {
    if (page === undefined) return []
    const named =
      doi === undefined
        ? { identifier: page, scheme: 'URL', url: page }
        : { identifier: doi, scheme: 'DOI', url: doiUrl(doi) }
    return [{ ...named, relation, resourceType: undefined }]
  })
}

/** Those that the service gave first; a document may name them as well. */
function toAlternates({ metadata, identifiers = [] }: Source): readonly Identifier[] {
  const given = new Set(identifiers.map(({ identifier }) => identifier))
  const named = listOf(metadata['alternate_identifiers']).flatMap(toAlternate)
  return [...identifiers, ...named.filter(({ identifier }) => !given.has(identifier))]
}

function toAlternate(value: Json): readonly Identifier[] {
  const identifier = lineOf(isJsonObject(value) ? value['identifier'] : value)
  if (identifier === undefined) return []
  return [toIdentifier(identifier, isJsonObject(value) ? lineOf(value['scheme']) : undefined)]
}

function toLocation({ place, point, box }: JsonObject): readonly Location[] {
  const [latitude, longitude] = [within(point, 'latitude', 90), within(point, 'longitude', 180)]
  const [west, east] = [within(box, 'west', 180), within(box, 'east', 180)]
  const [south, north] = [within(box, 'south', 90), within(box, 'north', 90)]
  const location = {
    place: lineOf(place),
    point: latitude === undefined || longitude === undefined ? undefined : { latitude, longitude },
    box:
      west === undefined || east === undefined || south === undefined || north === undefined
        ? undefined
        : { west, east, south, north },
  }
  return Object.values(location).every((part) => part === undefined) ? [] : [location]
}

/** Degrees in a field; undefined where there are none, or too many. */
function within(value: Json | undefined, field: string, most: number): number | undefined {
  const degrees = isJsonObject(value) ? value[field] : undefined
  return typeof degrees === 'number' && Math.abs(degrees) <= most ? degrees : undefined
}

/** Files that a document calls restricted are public from the day on that it names. */
function toAccess(access: FileAccess, today: string): Access {
  if (isOpenAt(access, today)) return { files: 'public', until: undefined, reason: undefined }
  return { files: 'restricted', until: access.until, reason: lineOf(access.reason) }
}
