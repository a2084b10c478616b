import type { Agent, Description, Organization } from '../describe/description.ts'
import { cite } from './citation.ts'
import { some, toJsonText, untitled, type ExportFormat } from './format.ts'
import { toPlace } from './schema-org.ts'

const profile = 'https://w3id.org/ro/crate'
const version = `${profile}/1.2`

/** The metadata of a crate that lies elsewhere. @see RO-Crate 1.2, "Detached RO-Crate Package" */
export const roCrate: ExportFormat = {
  name: 'ro-crate',
  title: 'RO-Crate',
  mediaTypes: [`application/ld+json; profile="${profile}"`],
  profile,
  extension: '.json',
  write: (about) => toJsonText(toCrate(about)),
}

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

function toCrate(about: Description) {
  const graph = new Graph()
  graph.add({
    '@id': 'ro-crate-metadata.json',
    '@type': 'CreativeWork',
    about: { '@id': about.url },
    conformsTo: { '@id': version },
  })
  const root = toRoot(about, graph)
  const [descriptor, ...others] = graph.all
  return { '@context': `${version}/context`, '@graph': [descriptor, root, ...others] }
}

function toRoot(about: Description, graph: Graph): Entity {
  const { title = untitled, doi, rights } = about
  return {
    '@id': about.url,
    '@type': 'Dataset',
    name: title,
    description: about.description ?? title,
    datePublished: about.date,
    dateModified: about.updated,
    license:
      rights?.url === undefined ? noLicense(about) : graph.add(toLicense(rights, rights.url)),
    identifier: doi === undefined ? about.url : graph.add(toDoi(doi, about.citedAs)),
    'cite-as': about.citedAs,
    creditText: cite(about, 'apa'),
    author: some(about.creators.map((agent) => addAgent(agent, graph))),
    contributor: some(about.contributors.map((agent) => addAgent(agent, graph))),
    publisher: addOrganization(about.publisher, graph),
    keywords: some([...about.keywords, ...about.subjects.map(({ subject }) => subject)]),
    inLanguage: about.language,
    version: about.version,
    measurementTechnique: about.methods,
    temporalCoverage: about.dates.find(({ type }) => type === 'Coverage')?.date,
    spatialCoverage: some(about.locations.map((place) => addPlace(place, graph))),
    funder: some(about.funding.map((grant) => addFunder(grant, graph))),
    funding: some(about.funding.flatMap((grant) => addGrant(grant, graph))),
    citation: some(relatedBy(about, ['Cites', 'References', 'IsSupplementTo'], graph)),
    isBasedOn: some(relatedBy(about, ['IsDerivedFrom', 'IsNewVersionOf'], graph)),
    isPartOf: some(relatedBy(about, ['IsPartOf', 'IsPublishedIn'], graph)),
    sameAs: some(relatedBy(about, ['IsIdenticalTo'], graph)),
    hasPart: some(
      about.files.map(({ key, url, size, mediaType, sha256 }) =>
        graph.add({
          '@id': url,
          '@type': 'File',
          name: key,
          contentSize: String(size),
          encodingFormat: mediaType,
          sha256,
        }),
      ),
    ),
  }
}

/** A crate must say something of its license. */
function noLicense({ rights }: Description): string {
  return rights?.name ?? 'No license given: all rights reserved'
}

function toLicense({ id, name }: NonNullable<Description['rights']>, url: string): Entity {
  return { '@id': url, '@type': 'CreativeWork', name, description: name, identifier: id }
}

function toDoi(doi: string, url: string): Entity {
  return {
    '@id': url,
    '@type': 'PropertyValue',
    propertyID: 'https://registry.identifiers.org/registry/doi',
    value: `doi:${doi}`,
    url,
  }
}

function addAgent(agent: Agent, graph: Graph) {
  return graph.add({
    '@id': agent.orcid ?? `#agent-${graph.size}`,
    '@type': agent.isPerson ? 'Person' : 'Organization',
    name: agent.name,
    givenName: agent.given,
    familyName: agent.family,
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
  const shape = geo && graph.add({ '@id': `#geo-${id}`, ...geo })
  return graph.add({ '@id': `#place-${id}`, ...place, geo: shape })
}

function relatedBy({ relations }: Description, kinds: readonly string[], graph: Graph) {
  return relations.flatMap(({ relation, url, identifier }) =>
    url === undefined || !kinds.includes(relation)
      ? []
      : [graph.add({ '@id': url, '@type': 'CreativeWork', name: identifier })],
  )
}
