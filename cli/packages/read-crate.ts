import { isPlain } from '../../core/base/plain.ts'
import { findCopy } from '../../core/contract/own-copy.ts'
import type { Findings } from '../output/finding.ts'
import { count } from '../output/units.ts'
import { quoted } from '../plain.ts'
import { Report } from './bag-tags.ts'
import {
  faultOfPathInside,
  isOfSystem,
  sayClash,
  type Contents,
  type PackedFile,
} from './contents.ts'
import { findAlgorithm, lengthOf, type Promised } from './digests.ts'
import { isGeneratedCrate } from './generated.ts'
import { readJson } from './read-json.ts'
import { crateFiles, isOfCrate, pageFile } from './recognise.ts'

/** An entity of the graph of a crate. */
export type Entity = Readonly<Record<string, unknown>>

/** A crate, without the bytes of its files. */
export interface Crate extends Findings {
  /** The metadata file. */
  readonly file: string
  /** The entity that describes the whole; undefined where it is missing. */
  readonly root: Entity | undefined
  /** A service of this kind wrote it for a package, and nobody changed it since. */
  readonly isGenerated: boolean
  /** A service of this kind wrote it, and somebody changed it since. */
  readonly isChanged: boolean
  /** The page of the crate is a file of the record. */
  readonly hasOwnPage: boolean
  /** Digests that it states, by path. */
  readonly promised: ReadonlyMap<string, readonly Promised[]>
}

/** The metadata file of a crate; undefined for other folders and archives. */
export function findCrateFile({ files }: Contents): string | undefined {
  return crateFiles.find((name) => files.some(({ path }) => path === name))
}

/**
 * Reads the metadata of a crate, and compares the files that it describes with those that are there.
 * Files elsewhere are not fetched.
 *
 * @param options.isInBag the bag has digests of every file
 * @see RO-Crate 1.0, 1.1 and 1.2
 */
export async function readCrate(
  contents: Contents,
  name: string,
  { isInBag = false } = {},
): Promise<Crate> {
  const report = new Report()
  const promised = new Map<string, readonly Promised[]>()
  const { errors, warnings } = report
  const document = await readDocument(contents, name, report)
  const graph = document && graphOf(document)
  const root = graph && findRoot(graph, name, report)
  if (graph !== undefined && root !== undefined) {
    const files = new Map(contents.files.map((file) => [file.path, file]))
    const { folders } = contents
    const composed = new Map(contents.files.map((file) => [file.path.normalize('NFC'), file]))
    for (const entity of graph.values()) {
      if (entity === root || typesOf(entity).every((type) => !parts.has(type))) continue
      const found = checkPart(entity, { name, report, files, composed, folders })
      // Two ids may be one path, encoded and as it is.
      if (found !== undefined)
        promised.set(found[0], [...(promised.get(found[0]) ?? []), ...found[1]])
    }
    if (!isInBag) warnOfUnseen(contents, promised, report)
  }
  return {
    file: name,
    root: graph && root && resolveEntity(root, graph),
    isGenerated:
      document && graph && root ? isGeneratedCrate(document, graph.values(), root) : false,
    isChanged: document !== undefined && 'isChanged' in (findCopy(document) ?? {}),
    hasOwnPage: [...(graph?.values() ?? [])].some(isPage),
    promised,
    errors,
    warnings,
  }
}

/** A service of this kind does not describe the page that it writes, but one of the user's. */
function isPage(entity: Entity): boolean {
  return entity['@id'] === pageFile && typesOf(entity).includes('File')
}

async function readDocument(
  contents: Contents,
  name: string,
  report: Report,
): Promise<Entity | undefined> {
  const read = await readJson(contents, name)
  if ('said' in read) {
    report.error(name, read.said)
    return undefined
  }
  if (isEntity(read.value) && Array.isArray(read.value['@graph'])) return read.value
  report.error(name, 'it must be JSON-LD with a list @graph of entities')
  return undefined
}

/** The entities of a crate by their ids; undefined for other documents. */
export function graphOf(document: unknown): ReadonlyMap<string, Entity> | undefined {
  const graph = isEntity(document) ? document['@graph'] : undefined
  if (!Array.isArray(graph)) return undefined
  const entities = graph.filter(isEntity)
  return new Map(entities.map((entity) => [textOf(entity['@id']), entity]))
}

/** The entity that the descriptor of a crate is about. */
export function rootOf(graph: ReadonlyMap<string, Entity>): Entity | undefined {
  const descriptor = graph.values().find((entity) => isDescriptor(entity))
  return descriptor && graph.get(idOf(descriptor['about']))
}

/** Its id is the name of the file, in detached crates behind an address. */
function isDescriptor(entity: Entity): boolean {
  const id = textOf(entity['@id'])
  return crateFiles.some((name) => id === name || id === `./${name}` || id.endsWith(`/${name}`))
}

const profile = 'https://w3id.org/ro/crate/'

function findRoot(
  graph: ReadonlyMap<string, Entity>,
  name: string,
  report: Report,
): Entity | undefined {
  const root = rootOf(graph)
  if (root === undefined) {
    report.error(name, 'it has no descriptor that is about a root entity')
    return undefined
  }
  if (!typesOf(root).includes('Dataset'))
    report.error(name, 'its root entity must have the @type Dataset')
  const descriptor = graph.values().find(isDescriptor)
  const ids = listOf(descriptor?.['conformsTo']).map(idOf)
  const version = ids.find((id) => id.startsWith(profile))?.slice(profile.length)
  if (version === undefined || !/^1\.[012](?:-DRAFT)?$/.test(version))
    report.warn(name, 'it does not say that it is of RO-Crate 1.0, 1.1 or 1.2')
  return root
}

/** Types of the entities that are files and folders. */
const parts = new Set(['File', 'MediaObject', 'Dataset'])

interface At extends Pick<Contents, 'folders'> {
  readonly files: ReadonlyMap<string, PackedFile>
  /** By their paths in one Unicode normalisation: another system may have changed it. */
  readonly composed: ReadonlyMap<string, PackedFile>
  /** The metadata file. */
  readonly name: string
  readonly report: Report
}

/** The digests that the crate states for a file. */
function checkPart(
  entity: Entity,
  { name, report, files, composed, folders }: At,
): readonly [path: string, promised: readonly Promised[]] | undefined {
  const id = textOf(entity['@id'])
  // An address, a name within the document, or the whole.
  if (/^(?:[a-z][a-z\d+.-]+:|#|\/\/)/i.test(id) || /^(?:\.\/)?$/.test(id)) {
    if (/^file:/i.test(id)) report.error(name, `it describes ${quoted(id)}, a file of a machine`)
    return undefined
  }
  const written = id.replace(/^(?:\.\/)+/, '').replace(/\/$/, '')
  const paths = [decoded(written), written]
  const path = paths.find((each) => files.has(each)) ?? paths[0] ?? ''
  const fault = faultOfPathInside(path)
  if (fault !== undefined) {
    report.error(name, `it describes ${quoted(path)}: ${fault}`)
    return undefined
  }
  const file = files.get(path) ?? composed.get(path.normalize('NFC'))
  if (file === undefined) {
    const said = `${name} describes it, but it is missing`
    if (isOfSystem(path)) report.warn(path, said)
    else if (!folders.has(path)) report.error(path, said)
    return undefined
  }
  // Opening a folder is enough to change it.
  if (isOfSystem(path)) return [file.path, []]
  if (file.path !== path) report.warn(name, sayClash([path, file.path]))
  const size = textOf(entity['contentSize'])
  if (/^\d+$/.test(size) && Number(size) !== file.size)
    report.error(path, `it has ${count(file.size, 'byte')}, and ${size} in ${name}`)
  return [file.path, digestsOf(entity, name)]
}

function digestsOf(entity: Entity, source: string): readonly Promised[] {
  return Object.entries(entity).flatMap(([term, value]) => {
    const algorithm = findAlgorithm(term)
    const digest = textOf(value).toLowerCase()
    if (algorithm === undefined || !/^[\da-f]+$/.test(digest)) return []
    return digest.length === lengthOf(algorithm) ? [{ algorithm, digest, source }] : []
  })
}

function warnOfUnseen(
  { files }: Contents,
  promised: ReadonlyMap<string, readonly Promised[]>,
  report: Report,
): void {
  const unseen = files.filter(({ path }) => !isOfCrate(path) && !promised.get(path)?.length)
  if (unseen.length > 0)
    report.warn(
      '',
      `the crate has no digest of ${unseen.length} of its files, so a change of them is not seen`,
    )
}

/** An id is an address, in which most programs encode what addresses cannot hold. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/** Levels of entities that are put in the place of references to them, and how many in all. */
const most = { levels: 4, entities: 10_000 }

/**
 * An entity with others in the place of references to them, but for its parts. Of a crate that would
 * grow by it beyond measure, references stay.
 */
export function resolveEntity(entity: Entity, graph: ReadonlyMap<string, Entity>): Entity {
  let left = most.entities
  const resolve = (value: unknown, trail: readonly Entity[]): unknown => {
    // A crate has no lists of lists; those of a hostile one may be nested without end.
    if (Array.isArray(value))
      return value.map((one: unknown) => (Array.isArray(one) ? [] : resolve(one, trail)))
    const target = isEntity(value) ? graph.get(textOf(value['@id'])) : undefined
    const isEnd = target === undefined || trail.includes(target) || trail.length > most.levels
    if (isEnd || left === 0) return value
    left -= 1
    return fill(target, trail)
  }
  const fill = (one: Entity, trail: readonly Entity[]): Entity => {
    const terms = Object.entries(one).filter(([term]) => term !== 'hasPart')
    return Object.fromEntries(terms.map(([term, value]) => [term, resolve(value, [...trail, one])]))
  }
  return fill(entity, [])
}

function isEntity(value: unknown): value is Entity {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typesOf(entity: Entity): readonly string[] {
  return listOf(entity['@type']).map(textOf)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}

/** The id of a reference. */
function idOf(value: unknown): string {
  return isEntity(value) ? textOf(value['@id']) : textOf(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Identifiers and addresses that the root entity gives of the whole. */
export function namesOf(root: Entity): readonly string[] {
  const given = ['@id', 'identifier', 'cite-as', 'url'].flatMap((term) => listOf(root[term]))
  return given
    .flatMap((value) =>
      isEntity(value) ? [value['value'], value['url'], value['@id']].map(textOf) : [textOf(value)],
    )
    .filter((name) => !/^(?:#.*|\.\/)?$/.test(name) && isPlain(name))
}
