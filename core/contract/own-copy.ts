import { createHash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/** A description of a record in another format, which says less than the metadata of the record. */
type Foreign = Readonly<Record<string, unknown>>

/** The metadata of a record, as a service puts them into the descriptions it writes for packages. */
export interface OwnCopy {
  /** Address of the service. */
  readonly service: string
  /** Address of the record. */
  readonly record: string
  readonly metadata: JsonObject
  /** Of these metadata and all else that the description says, but for its files. */
  readonly sha256: string
}

interface Copied {
  readonly service: string
  readonly record: string
  /** With the fields of the service. */
  readonly document: JsonObject
}

/** The property of a Data Package that holds the copy. */
export const copyInDatapackage = 'deposit:record'

/** The entity of a crate that holds the copy as a text. */
const copyInCrate = '#deposit-record'

/** Fields of a document that are those of the service that holds it. */
const ofService: ReadonlySet<string> = new Set([
  '$schema',
  '_buckets',
  '_deposit',
  '_files',
  'control_number',
  'pids',
])

/** A Data Package with a copy of the metadata of its record. */
export function withCopy(descriptor: Foreign, copied: Copied): Foreign {
  return { ...descriptor, [copyInDatapackage]: toCopy(copied, ofDatapackage(descriptor)) }
}

/**
 * The entity of a crate that holds the copy.
 *
 * @param crate all of it but for this entity and files
 */
export function toCopyEntity(crate: Foreign, copied: Copied) {
  return {
    '@id': copyInCrate,
    '@type': 'CreativeWork',
    name: 'Metadata of the record, as its service keeps them',
    encodingFormat: 'application/json',
    text: JSON.stringify(toCopy(copied, ofCrate(crate))),
  }
}

/** The reference to that entity. */
export const copyReference = { '@id': copyInCrate }

/** The copy that a description holds, without the fields of the service, or why it does not count. */
export type FoundCopy =
  | (Pick<OwnCopy, 'service' | 'record' | 'metadata'> & { readonly leftOut: readonly string[] })
  | {
      readonly isChanged: true
      /** The metadata that it held, where they can be read. */
      readonly before?: JsonObject
    }

/**
 * Finds the copy in a crate or a Data Package. It counts as long as it fits all that is written beside
 * it: who changes the description wants the change to be read.
 *
 * @returns undefined where there is none
 */
export function findCopy(description: Foreign): FoundCopy | undefined {
  const isCrate = Array.isArray(description['@graph'])
  const found = isCrate ? textInCrate(description) : description[copyInDatapackage]
  if (found === undefined) return undefined
  try {
    const copy: unknown = typeof found === 'string' ? JSON.parse(found) : found
    if (!isCopy(copy)) return { isChanged: true }
    const rest = isCrate ? ofCrate(description) : ofDatapackage(description)
    if (digestOf(copy.metadata, rest) !== copy.sha256)
      return { isChanged: true, before: userFields(copy.metadata) }
    const { service, record, metadata } = copy
    const leftOut = Object.keys(metadata).filter((field) => ofService.has(field))
    return { service, record, metadata: userFields(metadata), leftOut }
  } catch {
    // It is no JSON, or nested without end.
    return { isChanged: true }
  }
}

function toCopy({ service, record, document }: Copied, rest: unknown): OwnCopy {
  const metadata = userFields(document)
  return { service, record, metadata, sha256: digestOf(metadata, rest) }
}

function userFields(document: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([field]) => !ofService.has(field)))
}

function isCopy(value: unknown): value is OwnCopy {
  if (!isJsonObject(value) || !isJsonObject(value['metadata'])) return false
  return ['service', 'record', 'sha256'].every((field) => typeof value[field] === 'string')
}

function textInCrate({ '@graph': graph }: Foreign): unknown {
  if (!Array.isArray(graph)) return undefined
  const entity = graph.filter(isJsonObject).find(({ '@id': id }) => id === copyInCrate)
  return entity && (entity['text'] ?? null)
}

/** Other resources may come, and files have digests of their own. */
function ofDatapackage({ [copyInDatapackage]: _, resources: __, ...rest }: Foreign): unknown {
  return rest
}

/** In any order of its entities. */
function ofCrate({ '@graph': graph, ...rest }: Foreign): unknown {
  const entities = (Array.isArray(graph) ? graph : [])
    .filter((entity) => isJsonObject(entity) && entity['@id'] !== copyInCrate && !isFile(entity))
    .map(({ hasPart: _, ...entity }: Record<string, Json>) => entity)
    .toSorted((one, other) => compare(idOf(one), idOf(other)))
  return { ...rest, '@graph': entities }
}

function idOf({ '@id': id }: JsonObject): string {
  return typeof id === 'string' ? id : ''
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function isFile({ '@type': type }: JsonObject): boolean {
  return [type].flat().includes('File')
}

function digestOf(metadata: JsonObject, rest: unknown): string {
  const text = JSON.stringify([inOrder(metadata), inOrder(rest)])
  return createHash('sha256').update(text).digest('hex')
}

/** With the fields of its objects in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isJsonObject(value)) return value
  const fields = Object.keys(value).sort()
  return Object.fromEntries(fields.map((field) => [field, inOrder(value[field])]))
}
