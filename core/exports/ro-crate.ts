import type {
  Agent,
  DescribedFile,
  Description,
  Identifier,
  Organization,
  Subject,
} from '../describe/description.ts'
import { relationTypes } from '../contract/datacite.ts'
import { copyReference, toCopyEntity } from '../contract/own-copy.ts'
import { cite } from './citation.ts'
import { copiedFrom, some, toJsonText, untitled, type ExportFormat } from './format.ts'
import { toPlace } from './schema-org.ts'

const profile = 'https://w3id.org/ro/crate'
const version = `${profile}/1.2`

/** The metadata of a crate that lies elsewhere. @see RO-Crate 1.2, "Detached RO-Crate Package" */
export const roCrate: ExportFormat = {
  name: 'ro-crate',
  title: 'RO-Crate',
  mediaTypes: [`application/ld+json; profile="${profile}"`],
  profile,
  // The name of a crate without its files. See RO-Crate 1.2, "Detached RO-Crate Package".
  suffix: '-ro-crate-metadata',
  extension: '.json',
  write: (about) =>
    toJsonText(
      toCrate(
        about,
        about.url,
        about.files.map((file) => ({ '@id': file.url, ...toFile(file) })),
      ),
    ),
}

/** The metadata of a crate around those of its files. */
export interface CrateFrame {
  /** Ends within the list of parts. */
  readonly before: string
  readonly between: string
  readonly after: string
}

/**
 * The metadata of a crate that lies beside its files, which are written one by one: no text has to
 * hold all of them. Each is named by {@link toCratePart} after `before`, and described by
 * {@link toCrateFile} after `between`.
 *
 * @see RO-Crate 1.2, "Attached RO-Crate Package"
 */
export function toCrateFrame(about: Description): CrateFrame {
  // No text of a description has this character.
  const text = toJsonText(toCrate(about, './', [{ '@id': '\0' }]))
  const [before = '', rest = ''] = text.split('\n        {\n          "@id": "\\u0000"\n        }')
  const [between = '', after = ''] = rest.split(',\n    {\n      "@id": "\\u0000"\n    }')
  return { before, between, after }
}

/** The reference to a file among the parts of a crate. */
export function toCratePart(key: string, isFirst: boolean): string {
  return `${isFirst ? '' : ','}\n        ${JSON.stringify({ '@id': toFileId(key) })}`
}

/** The entity of a file that lies in the crate. */
export function toCrateFile(file: DescribedFile): string {
  const entity = { '@id': toFileId(file.key), ...toFile(file), contentUrl: file.url }
  return `,\n    ${JSON.stringify(entity)}`
}

/**
 * The path of a file as a relative reference. Only characters that no IRI may have are encoded, and
 * a colon, with which a scheme would end.
 *
 * @see RO-Crate 1.2, "Describing entities in JSON-LD", and RFC 3987, §2.2
 */
export function toFileId(key: string): string {
  return key.replaceAll(notInPath, encodeURIComponent)
}

/** Characters that are neither slashes, unreserved or sub-delimiters of RFC 3986 nor `ucschar` of RFC 3987. */
const notInPath =
  /[^/\w.~!$&'()*+,;=@\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{E1000}-\u{EFFFD}-]/gu

/** Relations that are what their property says. */
const asProperty = new Set(['Cites', 'IsDerivedFrom', 'IsVersionOf', 'IsPartOf', 'IsIdenticalTo'])

const inProperties = new Set([
  ...asProperty,
  'References',
  'IsSupplementTo',
  'IsNewVersionOf',
  'IsPublishedIn',
])

interface Entity {
  readonly '@id': string
  readonly [term: string]: unknown
}

/** The entities of a flat graph, in the order in which they are first named. */
class Graph {
  readonly #entities = new Map<string, Entity>()

  /** Adds an entity where there is none of its id, and refers to it. */
  add(entity: Entity): { readonly '@id': string } {
    if (!this.#entities.has(entity['@id'])) this.#entities.set(entity['@id'], entity)
    return { '@id': entity['@id'] }
  }

  get size(): number {
    return this.#entities.size
  }

  get all(): readonly Entity[] {
    return [...this.#entities.values()]
  }
}

/** @param root identifier of the data set */
function toCrate(about: Description, root: string, files: readonly Entity[]) {
  const graph = new Graph()
  graph.add({
    '@id': 'ro-crate-metadata.json',
    '@type': 'CreativeWork',
    about: { '@id': root },
    conformsTo: { '@id': version },
    isBasedOn: copyReference,
  })
  const dataset = { '@id': root, ...toDataset(about, graph) }
  const context = `${version}/context`
  const rest = { '@context': context, '@graph': [...graph.all, dataset] }
  graph.add(toCopyEntity(rest, copiedFrom(about)))
  const hasPart = some(files.map((file) => graph.add(file)))
  const [descriptor, ...others] = graph.all
  return { '@context': context, '@graph': [descriptor, { ...dataset, hasPart }, ...others] }
}

function toDataset(about: Description, graph: Graph): Readonly<Record<string, unknown>> {
  const { title = untitled, rights } = about
  return {
    '@type': 'Dataset',
    name: title,
    description: about.description ?? title,
    datePublished: about.date,
    dateModified: about.modified,
    license:
      rights?.url === undefined ? noLicense(about) : graph.add(toLicense(rights, rights.url)),
    identifier: identifiersOf(about, graph),
    'cite-as': about.citedAs,
    creditText: cite(about, 'apa'),
    author: some(about.creators.map((agent) => addAgent(agent, graph))),
    contributor: some(about.contributors.map((agent) => addAgent(agent, graph, agent.role))),
    publisher: addOrganization(about.publisher, graph),
    keywords: some(about.keywords),
    about: some(about.subjects.map((subject, at) => addSubject(subject, at, graph))),
    conditionsOfAccess: conditionsOf(about),
    inLanguage: about.language,
    version: about.version,
    measurementTechnique: about.methods,
    comment: about.notes === undefined ? undefined : graph.add(toComment(about.notes)),
    dateCreated: about.dates.find(({ type }) => type === 'Created')?.date,
    temporalCoverage: about.dates.find(({ type }) => type === 'Coverage')?.date,
    spatialCoverage: some(about.locations.map((place) => addPlace(place, graph))),
    funder: some(about.funding.map((grant) => addFunder(grant, graph))),
    funding: some(about.funding.flatMap((grant) => addGrant(grant, graph))),
    citation: some(relatedBy(about, ['Cites', 'References', 'IsSupplementTo'], graph)),
    isBasedOn: some(relatedBy(about, ['IsDerivedFrom', 'IsNewVersionOf'], graph)),
    exampleOfWork: some(relatedBy(about, ['IsVersionOf'], graph)),
    isPartOf: some(relatedBy(about, ['IsPartOf', 'IsPublishedIn'], graph)),
    sameAs: some(relatedBy(about, ['IsIdenticalTo'], graph)),
    mentions: some([
      ...relatedBy({ ...about, versions: [] }, otherRelations, graph),
      ...about.references.map((name, at) => graph.add(toReference(name, at))),
    ]),
  }
}

/** Who reads the crate elsewhere publishes its files no earlier. */
function conditionsOf({ access: { files, until } }: Description): string | undefined {
  if (files === 'public') return undefined
  return until === undefined ? 'Restricted' : `Embargoed until ${until}`
}

function toFile({ key, size, mediaType, sha256 }: DescribedFile) {
  return {
    '@type': 'File',
    name: key,
    contentSize: String(size),
    encodingFormat: mediaType,
    sha256,
  }
}

/** A crate must say something of its license. */
function noLicense({ rights }: Description): string {
  return rights?.name ?? 'No license given: all rights reserved'
}

function toLicense({ id, name }: NonNullable<Description['rights']>, url: string): Entity {
  return { '@id': url, '@type': 'CreativeWork', name, description: name, identifier: id }
}

/** That which it is cited by, or a list of it and those that the service gave it besides. */
function identifiersOf(about: Description, graph: Graph) {
  const { doi, url, citedAs, alternateIdentifiers } = about
  const first = doi === undefined ? url : graph.add(toDoi(doi, citedAs))
  const others = alternateIdentifiers.map((each, at) => graph.add(toOther(each, at)))
  return others.length === 0 ? first : [first, ...others]
}

function toOther({ identifier, scheme, url }: Identifier, at: number): Entity {
  return {
    '@id': `#identifier-${at + 1}`,
    '@type': 'PropertyValue',
    name: scheme ?? 'Identifier',
    value: identifier,
    url,
  }
}

/** Its id is not the address: that is a text elsewhere, and a text must be no reference. */
function toDoi(doi: string, url: string): Entity {
  return {
    '@id': '#doi',
    '@type': 'PropertyValue',
    name: 'DOI',
    propertyID: 'https://registry.identifiers.org/registry/doi',
    value: `doi:${doi}`,
    url,
  }
}

function addAgent(agent: Agent, graph: Graph, role = 'Other') {
  return graph.add({
    '@id': agent.orcid ?? `#agent-${graph.size}`,
    '@type': agent.isPerson ? 'Person' : 'Organization',
    name: agent.name,
    givenName: agent.given,
    familyName: agent.family,
    roleName: role === 'Other' ? undefined : role,
    affiliation: some(agent.affiliations.map((each) => addOrganization(each, graph))),
  })
}

function addOrganization({ name, ror }: Organization, graph: Graph) {
  const id = ror ?? `#organization-${encodeURIComponent(name)}`
  return graph.add({ '@id': id, '@type': 'Organization', name })
}

function addFunder(grant: Description['funding'][number], graph: Graph) {
  const { funder, funderId } = grant
  const id = funderId ?? `#organization-${encodeURIComponent(funder ?? '')}`
  return graph.add({ '@id': id, '@type': 'Organization', name: funder ?? id })
}

function addGrant(grant: Description['funding'][number], graph: Graph) {
  const { award, awardTitle, awardUrl } = grant
  if (award === undefined && awardTitle === undefined) return []
  const entity = {
    '@id': awardUrl ?? `#grant-${graph.size}`,
    '@type': 'Grant',
    name: awardTitle ?? award,
    identifier: award,
    funder: addFunder(grant, graph),
  }
  return [graph.add(entity)]
}

/** Places are flat as well: the shape is an entity of its own. */
function addPlace(location: Description['locations'][number], graph: Graph) {
  const { geo, ...place } = toPlace(location)
  const id = graph.size
  const shape =
    geo && graph.add({ '@id': `#geo-${id}`, name: place.name ?? sayShape(location), ...geo })
  return graph.add({ '@id': `#place-${id}`, ...place, geo: shape })
}

/** Entities are to have a name, as a reader of the preview sees it. */
function sayShape({ point, box }: Description['locations'][number]): string | undefined {
  if (point) return `${point.latitude}, ${point.longitude}`
  return box && `${box.south}, ${box.west} to ${box.north}, ${box.east}`
}

/** Relations that have no property of their own: their entities say what they are. */
const otherRelations = [...relationTypes.values()].filter((relation) => !inProperties.has(relation))

function relatedBy(about: Description, kinds: readonly string[], graph: Graph) {
  return [...about.versions, ...about.relations].flatMap(({ relation, url, identifier }) =>
    url === undefined || !kinds.includes(relation)
      ? []
      : [
          graph.add({
            '@id': url,
            '@type': 'CreativeWork',
            name: identifier,
            description: asProperty.has(relation) ? undefined : `Relation: ${relation}`,
          }),
        ],
  )
}

function addSubject({ subject, scheme, url }: Subject, at: number, graph: Graph) {
  const id = url ?? `#subject-${at + 1}`
  return graph.add({ '@id': id, '@type': 'DefinedTerm', name: subject, inDefinedTermSet: scheme })
}

function toComment(text: string): Entity {
  return { '@id': '#notes', '@type': 'Comment', name: 'Notes', text }
}

/** A work that is known by its text alone: one that is cited has an address. */
function toReference(name: string, at: number): Entity {
  const description = 'Relation: References'
  return { '@id': `#reference-${at + 1}`, '@type': 'CreativeWork', name, description }
}
