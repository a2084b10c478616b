import type { Metadata } from '../../client/deposit-client.ts'
import { graphOf, resolveEntity, rootOf } from '../../packages/read-crate.ts'
import { peek } from '../../../core/contract/foreign/watch.ts'
import { fromCodemeta, relationOf, toReference, toRelated, toSubject } from './codemeta.ts'
import { isOfCrate } from '../../packages/recognise.ts'
import {
  filled,
  firstOf,
  isForeign,
  listOf,
  objectsOf,
  textOf,
  textsOf,
  type Foreign,
} from '../../../core/contract/foreign-values.ts'

/** The root entity of a crate, with the entities that it refers to in it, and without its parts. */
export function rootOfCrate(document: Foreign): Foreign {
  const graph = graphOf(document)
  const root = graph && rootOf(graph)
  return graph && root ? resolveEntity(root, graph) : {}
}

/** Types of entities that nothing in the crate refers to, so that nothing is read of them. */
export function unreachedIn(document: Foreign): readonly string[] {
  const graph = graphOf(document)
  const root = graph && rootOf(graph)
  if (!graph || !root) return []
  const reached = new Set([root, ...[...graph.values()].filter(isDescriptor)])
  // A set gives what is added to it while it is read.
  for (const entity of reached)
    for (const value of Object.values(entity).flatMap(listOf).filter(isForeign)) {
      const target = graph.get(textOf(value['@id']) ?? '')
      if (target !== undefined) reached.add(target)
    }
  const others = [...graph.values()].filter((entity) => !reached.has(entity))
  const types = others
    .flatMap((entity) => textsOf(entity['@type']))
    .filter((type) => type !== 'File')
  return [...new Set(types)].map((type) => `@graph[] of @type ${type}`)
}

/** The file itself, or its page. */
function isDescriptor(entity: Foreign): boolean {
  return isOfCrate(textOf(entity['@id'])?.replace(/^.*\//, '') ?? '')
}

/**
 * Metadata from the root entity of a crate.
 *
 * @see RO-Crate 1.2, "Root Data Entity"
 */
export function fromRoCrate(root: Foreign): Metadata {
  if (Object.keys(root).length === 0) return {}
  for (const term of ofPublication) void root[term]
  // The labels of a DOI and of a shape repeat what they are labels of.
  for (const each of objectsOf(root['identifier'])) void each['name']
  for (const { geo } of objectsOf(root['spatialCoverage'])) void (isForeign(geo) && geo['name'])
  const metadata = fromCodemeta(root)
  return filled({
    ...metadata,
    description: metadata['description'] ?? textOf(root['abstract']),
    notes: toNotes(root['comment']),
    subjects: [...objectsOf(metadata['subjects']), ...objectsOf(root['about']).flatMap(toSubject)],
    related_identifiers: [
      ...objectsOf(metadata['related_identifiers']),
      ...listOf(root['exampleOfWork']).flatMap(toRelated('IsVersionOf')),
      ...mentionedIn(root).flatMap(toRelated()),
    ],
    references: [
      ...textsOf(metadata['references']),
      ...mentionedIn(root).flatMap((work) => toReference(work) ?? []),
    ],
    publication_date: dayOf(textOf(firstOf(root['datePublished']))),
    license: toLicense(firstOf(root['license'])) ?? undefined,
    methods: textOf(root['measurementTechnique']),
    funding: toFunding(root),
  })
}

function toNotes(comment: unknown): string | undefined {
  const texts = listOf(comment).flatMap((each) => {
    if (!isForeign(each)) return textOf(each) ?? []
    void each['name']
    return textOf(each['text']) ?? []
  })
  return texts.length === 0 ? undefined : texts.join('\n\n')
}

/** Works of which it is said how they are related. */
function mentionedIn(root: Foreign): readonly unknown[] {
  const isRelated = listOf(peek(root)['mentions']).map(
    (work) => isForeign(work) && relationOf(work) !== undefined,
  )
  if (!isRelated.includes(true)) return []
  return listOf(root['mentions']).filter((_, at) => isRelated[at])
}

/** What a crate says of its own publication. */
const ofPublication = ['cite-as', 'creditText', 'dateModified', 'conformsTo', 'sdDatePublished']

/** A crate must have a full date or time. */
function dayOf(text: string | undefined): string | undefined {
  return text?.replace(/^(\d{4}-\d\d-\d\d)T.*/, '$1')
}

/** Written where there is none, since a crate must have one. */
const noLicense = /^no license given/i

function toLicense(license: unknown): string | undefined {
  const { license: found } = fromCodemeta({ license })
  const given = isForeign(license) ? textOf(license['identifier']) : undefined
  void (isForeign(license) && [license['name'], license['description']])
  const id = given !== undefined && /^[\w.+-]+$/.test(given) ? given : textOf(found)
  return id !== undefined && noLicense.test(id) ? undefined : id
}

/** Grants with their funders, then other funders. */
function toFunding(root: Foreign): readonly Foreign[] {
  const grants = objectsOf(root['funding']).map((grant) => {
    const [name, award] = [textOf(grant['name']), textOf(grant['identifier'])]
    return filled({
      ...toFunder(firstOf(grant['funder'])),
      award: award ?? name,
      award_title: award === undefined || award === name ? undefined : name,
      award_uri: addressOf(grant),
    })
  })
  const known = new Set(grants.map(({ funder }) => funder))
  const others = listOf(root['funder']).flatMap((each) => {
    const funder = toFunder(each)
    return funder === undefined || known.has(funder['funder']) ? [] : [funder]
  })
  return [...grants.filter(({ funder }) => funder !== undefined), ...others]
}

function toFunder(value: unknown): Foreign | undefined {
  if (!isForeign(value)) return textOf(value) === undefined ? undefined : { funder: textOf(value) }
  const funder = textOf(value['name']) ?? addressOf(value)
  return funder === undefined ? undefined : filled({ funder, funder_id: addressOf(value) })
}

/** The id of an entity where it is an address. */
function addressOf(entity: Foreign): string | undefined {
  const id = textOf(entity['@id'])
  return id !== undefined && /^https?:\/\//i.test(id) ? id : undefined
}
