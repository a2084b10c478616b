import {
  contributorTypes,
  identifierTypes,
  relationTypes,
  termOf,
} from '../../../core/contract/datacite.ts'
import { peek } from '../../../core/contract/foreign/watch.ts'
import { isDateOrPeriod } from '../../../core/contract/metadata-formats.ts'
import type { Metadata } from '../../client/deposit-client.ts'
import {
  doiOf,
  filled,
  firstOf,
  isForeign,
  licenseOf,
  listOf,
  numberOf,
  objectsOf,
  textOf,
  textsOf,
  toPerson,
  type Foreign,
} from '../../../core/contract/foreign-values.ts'

/**
 * Metadata from a `codemeta.json`.
 *
 * @see https://codemeta.github.io/terms, versions 2 and 3
 */
export function fromCodemeta(codemeta: Foreign): Metadata {
  const code = textsOf(codemeta['codeRepository'])
  const cited = listOf(codemeta['citation'])
  return filled({
    title: textOf(codemeta['name']),
    creators: listOf(codemeta['author']).flatMap(toCreators),
    contributors: listOf(codemeta['contributor']).flatMap(toContributors),
    description: textOf(codemeta['description']),
    publication_date: textOf(codemeta['datePublished']),
    publisher: firstOf(toOrganization(firstOf(codemeta['publisher']))),
    resource_type: toType(textsOf(codemeta['@type']).join()),
    license: toLicense(codemeta['license']),
    keywords: toKeywords(codemeta['keywords']),
    subjects: objectsOf(codemeta['keywords']).flatMap(toSubject),
    version: textOf(codemeta['version']) ?? textOf(codemeta['softwareVersion']),
    language: textOf(firstOf(codemeta['inLanguage'])),
    related_identifiers: [
      ...code.map((identifier) => ({ identifier, relation: 'IsSupplementTo', scheme: 'url' })),
      ...Object.entries(relations).flatMap(([term, relation]) =>
        listOf(codemeta[term]).flatMap(toRelated(relation)),
      ),
      ...cited
        .filter((work) => isForeign(work) && !code.includes(urlOf(work) ?? ''))
        .flatMap(toRelated('Cites')),
    ],
    references: cited.flatMap((work) => toReference(work) ?? []),
    ...toIdentifiers(codemeta),
    funding: toFunding(codemeta),
    dates: [
      ...toDate(codemeta['dateCreated'], 'created'),
      ...toDate(codemeta['temporalCoverage'], 'coverage'),
    ],
    locations: objectsOf(codemeta['spatialCoverage']).flatMap(toLocation),
  })
}

/** Relations by the term of schema.org for them. */
const relations: Readonly<Record<string, string>> = {
  hasPart: 'HasPart',
  isBasedOn: 'IsDerivedFrom',
  isPartOf: 'IsPartOf',
  sameAs: 'IsIdenticalTo',
  subjectOf: 'IsDescribedBy',
  translationOfWork: 'IsTranslationOf',
  workTranslation: 'HasTranslation',
}

/** The format is for software; other types are those of schema.org. */
function toType(type: string): string {
  return types.find(([name]) => name.test(type))?.[1] ?? 'software'
}

const types: readonly (readonly [RegExp, string])[] = [
  [/dataset/i, 'dataset'],
  [/Software/, 'software'],
  [/AudioObject/, 'sound'],
  [/VideoObject/, 'audiovisual'],
  [/ImageObject/, 'image'],
  [/PresentationDigitalDocument/, 'presentation'],
  [/ScholarlyArticle/, 'journalarticle'],
  [/Chapter/, 'bookchapter'],
  [/Book/, 'book'],
  [/Collection/, 'collection'],
  [/Event/, 'event'],
  [/Poster/, 'poster'],
  [/Report/, 'report'],
  [/Thesis/, 'dissertation'],
  [/^CreativeWork$/, 'other'],
]

/** Those of a text, in which semicolons divide the names, or of an entity. */
function toCreators(value: unknown): readonly Foreign[] {
  if (!isForeign(value)) {
    const names = (textOf(value) ?? '').split(/\s*;\s*/).filter((name) => name !== '')
    return names.flatMap((name): readonly Foreign[] => {
      const person = toPerson({ name, orcid: name, affiliation: [] })
      return person === undefined ? [] : [person]
    })
  }
  if (typesOf(value).includes('Role'))
    return ['author', 'creator', 'contributor'].flatMap((key) =>
      listOf(value[key]).flatMap(toCreators),
    )
  const affiliation = listOf(value['affiliation']).flatMap(toOrganization)
  const { name: whole, givenName: given, familyName: family } = value
  const ids = ['@id', 'sameAs', 'identifier'].flatMap((key) => identifiersOf(value[key]))
  const orcid = ids.find((id) => /orcid\.org|^\d{4}-/.test(id))
  const isNamed = [whole, given, family].some((name) => textOf(name) !== undefined)
  // Prefer the name in parts, which sorts as in citations. Without any, the address stands for it.
  const name = isNamed ? (family === undefined ? whole : undefined) : orcid
  const person = toPerson({ name, given, family, orcid, affiliation })
  return person === undefined ? [] : [person]
}

/** With their role, where it is one that we know: of the person, or of a role that has it. */
function toContributors(value: unknown): readonly Foreign[] {
  const people = toCreators(value)
  if (!isForeign(value)) return people
  const role = termOf(contributorTypes, textOf(firstOf(peek(value)['roleName'])) ?? '')
  if (role === undefined) return people
  void textOf(firstOf(value['roleName']))
  return people.map((person) => ({ ...person, role }))
}

function typesOf(value: Foreign): readonly string[] {
  return textsOf(value['@type'])
}

/** Texts, references to entities, and identifiers with a scheme. */
function identifiersOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((each) => {
    if (!isForeign(each)) return textOf(each) ?? []
    return [each['value'], each['url'], each['@id']].flatMap((id) => textOf(id) ?? [])
  })
}

/** A name, or `{name, ror}`. */
function toOrganization(value: unknown): readonly (string | Foreign)[] {
  if (!isForeign(value)) return textsOf(value)
  const name = textOf(value['name'])
  const ror = textsOf(value['@id']).find((id) => /^https:\/\/ror\.org\/0[a-z\d]{6}\d{2}$/.test(id))
  if (name === undefined) return []
  return [ror === undefined ? name : { name, ror }]
}

/** An SPDX address, a name, or an object with either. */
function toLicense(license: unknown): string | undefined {
  const first = firstOf(license)
  return licenseOf(
    textOf(isForeign(first) ? (first['@id'] ?? first['url'] ?? first['name']) : first),
  )
}

/** A text has them with commas between; in a list each is whole. */
function toKeywords(keywords: unknown): readonly string[] {
  const texts = textsOf(keywords)
  return Array.isArray(keywords) ? texts : texts.flatMap((words) => words.split(/,\s*/))
}

export function toSubject(term: Foreign): readonly Foreign[] {
  const [subject, scheme] = [textOf(term['name']), textOf(term['inDefinedTermSet'])]
  const identifier = urlOf(term)
  return subject === undefined ? [] : [filled({ subject, scheme, identifier })]
}

/** A work by its identifier, with the scheme if it says it, or by its address. */
export function toRelated(relation?: string) {
  return (work: unknown): readonly Foreign[] => {
    const given = isForeign(work) ? work['identifier'] : work
    const isNamed = isForeign(given)
    const url = isForeign(work) ? urlOf(work) : undefined
    const kind = (isForeign(work) ? relationOf(work) : undefined) ?? relation
    if (kind === undefined) return []
    // A label that repeats the address.
    if (isForeign(work) && url?.endsWith(textOf(peek(work)['name']) ?? '?')) void work['name']
    const identifier = isNamed ? textOf(given['value']) : (url ?? textOf(given))
    const scheme = isNamed ? textOf(given['propertyID']) : undefined
    return identifier === undefined ? [] : [filled({ identifier, relation: kind, scheme })]
  }
}

/** An entity may say it where no term does. */
export function relationOf(work: Foreign): string | undefined {
  const said = /^Relation: (\w+)$/.exec(textOf(peek(work)['description']) ?? '')?.[1]
  const relation = said && termOf(relationTypes, said)
  if (relation !== undefined) void work['description']
  return relation
}

/** A work that has no identifier, but a text. */
export function toReference(work: unknown): string | undefined {
  if (!isForeign(work)) return textOf(work)
  const isNamed = urlOf(work) !== undefined || work['identifier'] !== undefined
  return isNamed ? undefined : textOf(work['name'])
}

/** Names within the document are no addresses. */
function urlOf(work: Foreign): string | undefined {
  const [id, url] = [textOf(work['@id']), textOf(work['url'])]
  return url ?? (/^(?:#|_:)/.test(id ?? '') ? undefined : id)
}

/** Its DOI, and its other identifiers; its own address is none. */
function toIdentifiers(codemeta: Foreign): Foreign {
  const found = listOf(codemeta['identifier']).flatMap((each) => {
    const { propertyID, value, url } = isForeign(each) ? each : { value: each }
    const identifier = textOf(value) ?? textOf(url)
    const scheme = textOf(propertyID) ?? (isForeign(each) ? schemeIn(each) : undefined)
    return identifier === undefined ? [] : [{ identifier, scheme }]
  })
  const isDoi = ({ identifier, scheme = registry }: (typeof found)[number]): boolean =>
    scheme === registry && doiOf(identifier) !== undefined
  const first = found.find(isDoi)
  const isOwn = ({ identifier, scheme }: (typeof found)[number]): boolean =>
    scheme === 'URL' && identifier === textOf(codemeta['url'])
  const others = found.filter((each) => each !== first && !isOwn(each))
  return { doi: doiOf(first?.identifier), alternate_identifiers: others.map(filled) }
}

/** The name of an identifier, where it is that of a scheme. */
function schemeIn(identifier: Foreign): string | undefined {
  const { '@id': id, name } = peek(identifier)
  const isOurs = /^#identifier-\d+$/.test(textOf(id) ?? '') && name !== 'Identifier'
  const known = termOf(identifierTypes, textOf(name) ?? '')
  return isOurs || known !== undefined ? textOf(identifier['name']) : undefined
}

/** The scheme of the DOI of the work itself, in CodeMeta's examples. */
const registry = 'https://registry.identifiers.org/registry/doi'

/** The grant of a single funder. Of several, it does not say which one gave it. */
function toFunding(codemeta: Foreign): readonly Foreign[] {
  const funders = listOf(codemeta['funder']).flatMap((each) => {
    const name = textOf(isForeign(each) ? each['name'] : each)
    const id = isForeign(each) ? textOf(each['@id']) : undefined
    const funder = name ?? id
    return funder === undefined ? [] : [filled({ funder, funder_id: id })]
  })
  const awards = textsOf(codemeta['funding'])
  const [award] = awards
  if (funders.length !== 1 || awards.length !== 1) return funders
  return funders.map((funder) => ({ ...funder, award }))
}

function toDate(value: unknown, type: string): readonly Foreign[] {
  const date = textOf(firstOf(value))?.replace(/^(\d{4}-\d\d-\d\d)T.*/, '$1')
  return date !== undefined && isDateOrPeriod(date) ? [{ date, type }] : []
}

function toLocation(spot: Foreign): readonly Foreign[] {
  const { latitude, longitude, box: corners } = isForeign(spot['geo']) ? spot['geo'] : {}
  const point = filled({ latitude: numberOf(latitude), longitude: numberOf(longitude) })
  const [south, west, north, east] = (textOf(corners) ?? '').split(/[\s,]+/).map(numberOf)
  const box = filled({ west, east, south, north })
  const location = filled({
    place: textOf(spot['name']),
    point: Object.keys(point).length === 2 ? point : undefined,
    box: Object.keys(box).length === 4 ? box : undefined,
  })
  return Object.keys(location).length === 0 ? [] : [location]
}
