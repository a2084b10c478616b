import { findCopy } from '../../core/contract/own-copy.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Whether a description is as a service of this kind writes it for a package. Anything in it that the
 * service does not write is work of the user, who keeps it then.
 *
 * @param document all of the crate
 * @param graph its entities
 * @param root its root entity
 */
export function isGeneratedCrate(document: Fields, graph: Iterable<Fields>, root: Fields): boolean {
  const files = [...graph].filter((entity) => [entity['@type']].flat().includes('File'))
  const copy = findCopy(document)
  if (copy !== undefined)
    return (
      'record' in copy &&
      files.every((file) => hasOnly(file, fileFields) && isText(file['contentUrl']))
    )
  // Services of earlier versions wrote no copy.
  const isOurs =
    hasOnly(root, datasetFields) && isText(root['cite-as']) && isText(root['creditText'])
  return isOurs && files.every((file) => hasOnly(file, fileFields) && isOwnUrl(file['contentUrl']))
}

const datasetFields = new Set(
  (
    '@id @type name description datePublished dateModified license identifier cite-as creditText ' +
    'author contributor publisher keywords conditionsOfAccess inLanguage version measurementTechnique ' +
    'temporalCoverage spatialCoverage funder funding citation isBasedOn exampleOfWork isPartOf ' +
    'sameAs hasPart'
  ).split(' '),
)

const fileFields = new Set('@id @type name contentSize encodingFormat sha256 contentUrl'.split(' '))

/** The same of the descriptor of a Data Package. */
export function isGeneratedDatapackage(descriptor: Fields, resources: readonly Fields[]): boolean {
  const { name, homepage } = descriptor
  const copy = findCopy(descriptor)
  if (copy !== undefined)
    return 'record' in copy && resources.every((resource) => hasOnly(resource, resourceFields))
  const isRecord = isText(homepage) && isText(name) && homepage.endsWith(`/records/${name}`)
  return (
    isRecord &&
    hasOnly(descriptor, packageFields) &&
    resources.every((resource) => hasOnly(resource, resourceFields))
  )
}

const packageFields = new Set(
  (
    '$schema name id title description homepage version created contributors keywords access ' +
    'licenses sources resources'
  ).split(' '),
)

const resourceFields = new Set('name path title format mediatype bytes hash'.split(' '))

function hasOnly(object: Fields, known: ReadonlySet<string>): boolean {
  return Object.keys(object).every((name) => known.has(name))
}

/** An address of the bytes of a file, which has the id of its bucket. */
function isOwnUrl(value: unknown): boolean {
  return (
    isText(value) && /^https?:\/\/.*\/files\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\//.test(value)
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
