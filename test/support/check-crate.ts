import { existsSync, readFileSync } from 'node:fs'

interface Entity {
  readonly '@id': string
  readonly '@type': string | readonly string[]
  readonly [term: string]: unknown
}

const context = 'https://w3id.org/ro/crate/1.2/context'
const metadataName = 'ro-crate-metadata.json'

/** Terms of the context; undefined where the file is not there. */
const terms = readTerms()

function readTerms(): ReadonlySet<string> | undefined {
  const path = new URL(
    '../../../shared/data/standards/ro-crate-1.2-context.jsonld',
    import.meta.url,
  )
  if (!existsSync(path)) {
    process.stderr.write('SKIPPED: no context of RO-Crate 1.2: terms of crates are not checked.\n')
    return undefined
  }
  const { '@context': known } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly '@context': Readonly<Record<string, unknown>>
  }
  return new Set(Object.keys(known))
}

/**
 * Finds all that RO-Crate 1.2 forbids in an attached crate, and files that it does not describe.
 *
 * @param text of `ro-crate-metadata.json`
 * @param paths of the files in the folder of the crate
 * @see RO-Crate 1.2: each MUST of structure, metadata, root-data-entity, data-entities and contextual-entities
 */
export function faultsOfCrate(text: string, paths: ReadonlySet<string>): readonly string[] {
  const document = JSON.parse(text) as Readonly<Record<string, unknown>>
  const graph = document['@graph']
  if (!Array.isArray(graph)) return ['there is no list of entities']
  const known = [document['@context']].flat().includes(context)
  const entities = graph.filter(isEntity)
  const byId = new Map(entities.map((entity) => [entity['@id'], entity]))
  const descriptor = byId.get(metadataName)
  const root = byId.get(idOf(descriptor?.['about']) ?? '')
  return [
    ...(known ? [] : ['the context is not that of RO-Crate 1.2']),
    ...(entities.length < graph.length ? ['an entity has no @id or no @type'] : []),
    ...(byId.size < entities.length ? ['two entities have one @id'] : []),
    ...(paths.has(metadataName) ? [] : ['the file of the metadata has another name']),
    ...faultsOfDescriptor(descriptor),
    ...faultsOfRoot(root, byId),
    ...entities.flatMap((entity) => faultsOfEntity(entity, byId)),
    ...faultsOfFiles(entities, root, paths),
  ]
}

function isEntity(value: unknown): value is Entity {
  if (typeof value !== 'object' || value === null) return false
  const { '@id': id, '@type': types } = value as Readonly<Record<string, unknown>>
  const all = [types].flat()
  const areTypes = all.length > 0 && all.every((type) => typeof type === 'string' && type !== '')
  return typeof id === 'string' && id !== '' && areTypes
}

function typesOf(entity: Entity): readonly string[] {
  return [entity['@type']].flat()
}

/** The identifier in a reference; undefined for all else. */
function idOf(value: unknown): string | undefined {
  const isReference = typeof value === 'object' && value !== null && '@id' in value
  return isReference && typeof value['@id'] === 'string' ? value['@id'] : undefined
}

function faultsOfDescriptor(descriptor: Entity | undefined): readonly string[] {
  if (!descriptor) return ['the metadata do not describe themselves']
  const follows = idOf(descriptor['conformsTo'])
  return [
    ...(typesOf(descriptor).includes('CreativeWork') ? [] : ['the descriptor is no CreativeWork']),
    ...(follows === 'https://w3id.org/ro/crate/1.2' ? [] : ['the descriptor names no version']),
  ]
}

function faultsOfRoot(
  root: Entity | undefined,
  byId: ReadonlyMap<string, Entity>,
): readonly string[] {
  if (!root) return ['there is no root']
  const license = idOf(root['license'])
  const { name, description, datePublished: date } = root
  const isDate = typeof date === 'string' && /^\d{4}(?:-\d\d(?:-\d\d(?:T.+)?)?)?$/.test(date)
  const identifier = byId.get(idOf(root['identifier']) ?? '')
  return [
    ...(typesOf(root).includes('Dataset') ? [] : ['the root is no Dataset']),
    ...(root['@id'] === './' || isAbsolute(root['@id']) ? [] : ['the root has a wrong @id']),
    ...(isText(name) ? [] : ['the root has no name']),
    ...(isText(description) ? [] : ['the root has no description']),
    ...(isDate ? [] : ['the root has no single date of ISO 8601']),
    ...(isText(root['license']) || license !== undefined ? [] : ['the root has no license']),
    ...(license === undefined || isText(byId.get(license)?.['name'])
      ? []
      : ['the license has no name']),
    ...(!identifier || isText(identifier['value']) ? [] : ['the identifier has no value']),
  ]
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function isAbsolute(id: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(id)
}

function faultsOfEntity(entity: Entity, byId: ReadonlyMap<string, Entity>): readonly string[] {
  const faults: string[] = []
  const id = entity['@id']
  if (!isReference(id)) faults.push(`${id}: the @id is no URI reference`)
  for (const [term, value] of Object.entries(entity)) {
    if (!term.startsWith('@') && terms && !terms.has(term)) faults.push(`${id}: unknown ${term}`)
    if (term.startsWith('@')) continue
    for (const each of [value].flat() as readonly unknown[]) {
      const other = idOf(each)
      if (typeof each === 'object' && (other === undefined || Object.keys(each ?? {}).length > 1))
        faults.push(`${id}: ${term} is not flat`)
      if (typeof each === 'string' && each.startsWith('#') && byId.has(each))
        faults.push(`${id}: ${term} names an entity as a text`)
      if (other !== undefined && !isAbsolute(other) && !byId.has(other))
        faults.push(`${id}: ${term} is of no entity`)
      if (term === 'citation' && other !== undefined && !isAbsolute(other))
        faults.push(`${id}: a publication without an address`)
    }
  }
  for (const type of typesOf(entity)) {
    if (terms && !terms.has(type)) faults.push(`${id}: unknown type ${type}`)
  }
  return faults
}

/** @see RFC 3987, §2.2: no characters but those of an IRI, and only whole percent encodings */
function isReference(id: string): boolean {
  return !/[ \p{Cc}\p{Co}<>"{}|\\^`]|%(?![\dA-F]{2})/iu.test(id)
}

function faultsOfFiles(
  entities: readonly Entity[],
  root: Entity | undefined,
  paths: ReadonlySet<string>,
): readonly string[] {
  const parts = new Set([root?.['hasPart'] ?? []].flat().map(idOf))
  const files = entities.filter((entity) => typesOf(entity).includes('File'))
  const described = new Set(
    files
      .map((file) => file['@id'])
      .flatMap((id) => (isAbsolute(id) ? [] : decodeURIComponent(id))),
  )
  const own = new Set([metadataName, 'ro-crate-preview.html'])
  return [
    ...files.flatMap((file) => {
      const { '@id': id, contentSize: size, encodingFormat: type } = file
      return [
        ...(parts.has(id) ? [] : [`${id}: no part of the root`]),
        ...(isAbsolute(id) || paths.has(decodeURIComponent(id)) ? [] : [`${id}: no such file`]),
        ...(/^\d+$/.test(String(size)) && typeof size === 'string' ? [] : [`${id}: no size`]),
        ...(/^[\w.+-]+\/[\w.+-]+$/.test(String(type)) ? [] : [`${id}: no media type`]),
      ]
    }),
    ...[...own].filter((name) => parts.has(name)).map((name) => `${name}: it is a part`),
    ...[...paths]
      .filter((path) => !own.has(path) && !described.has(path))
      .map((path) => `${path}: not described`),
    ...(parts.size > files.length ? ['there are parts that are no files'] : []),
  ]
}
