import { fromRdm } from '../../../core/contract/rdm-metadata.ts'
import {
  describe,
  isJsonArray,
  isJsonObject,
  toRdm,
  toRdmAccess,
  type Description,
  type Json,
  type JsonObject,
} from '../../../core/index.ts'
import { requiredMessage, type MetadataFault } from '../rules.ts'
import { findFaults } from './check-metadata.ts'
import { differing, inMeaning, mergeSaid, requireFew, stillTrue } from '../kept-fields.ts'

/** A document with its times, from which InvenioRDM's metadata are written. */
export interface Described {
  readonly metadata: JsonObject
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
}

/** What a client sends, and is answered, of a record. */
export interface RdmDocument {
  readonly metadata: JsonObject
  readonly access: JsonObject
  readonly customFields: JsonObject
  /** False for one that is to have no files. */
  readonly hasFiles: boolean
}

/** The field of our documents that holds what only InvenioRDM's metadata say. */
const beside = 'rdm'

/** Fields that a record must have to be published. */
const required = ['resource_type', 'title', 'creators', 'publication_date'] as const

/**
 * InvenioRDM's metadata of a document: written from its description, with what was sent over it,
 * where that still means the same.
 *
 * @param today `YYYY-MM-DD`, UTC
 */
export function toRdmDocument(document: Described, today: string): RdmDocument {
  const about = aboutOf(document, today)
  const written = write(document, about)
  const kept = keptOf(document.metadata)
  const access = toRdmAccess(about)
  const until = about.access.until
  return {
    metadata: { ...written, ...stillTrue(objectOf(kept['metadata']), written, meaningOf) },
    access: {
      record: 'public',
      files: about.access.files,
      embargo: objectOf(asJson(access['embargo'] ?? { active: false, reason: null })),
      status:
        about.access.files === 'public' ? 'open' : until === undefined ? 'restricted' : 'embargoed',
    },
    customFields: objectOf(kept['custom_fields']),
    hasFiles: kept['files_enabled'] !== false,
  }
}

/**
 * Our document from what a client sent. What is sent as it was shown stays as the document had it, so
 * that fields InvenioRDM does not know, or knows less well, are not lost.
 *
 * @param before the document as it is
 */
export function fromRdmDocument(sent: JsonObject, before: Described, today: string): JsonObject {
  const shown = toRdmDocument(before, today)
  const said = withoutNulls(objectOf(sent['metadata']))
  const access = isJsonObject(sent['access']) ? sent['access'] : shown.access
  const was = fromRdm({ metadata: shown.metadata, access: shown.access })
  const is = fromRdm({ metadata: said, access })
  const merged = mergeSaid(before.metadata, was, is, (name) => name !== beside)
  const doi = externalDoi(sent['pids'])
  const document = { ...merged, ...(doi !== undefined && { doi }) }
  const next = { ...before, metadata: document }
  const fields = differing(said, write(next, aboutOf(next, today)))
  requireFew(fields)
  const custom = isJsonObject(sent['custom_fields']) ? sent['custom_fields'] : shown.customFields
  const enabled = isJsonObject(sent['files']) ? sent['files']['enabled'] !== false : shown.hasFiles
  const kept = {
    ...(Object.keys(fields).length > 0 && { metadata: fields }),
    ...(Object.keys(custom).length > 0 && { custom_fields: custom }),
    ...(!enabled && { files_enabled: false }),
  }
  return Object.keys(kept).length === 0 ? document : { ...document, [beside]: kept }
}

/** What keeps it from being published: fields that are missing, and those of a wrong type. */
export function publishFaults({ metadata }: RdmDocument): readonly MetadataFault[] {
  const missing = required.filter((name) => metadata[name] === undefined)
  return [
    ...missing.map((name) => ({ field: `metadata.${name}`, message: requiredMessage })),
    ...findFaults(metadata),
  ]
}

/** A DOI that the client has from elsewhere. */
export function externalDoi(pids: Json | undefined): string | undefined {
  const doi = objectOf(objectOf(pids)['doi'])
  const identifier = doi['identifier']
  const isExternal = doi['provider'] === 'external'
  return isExternal && typeof identifier === 'string' && identifier !== '' ? identifier : undefined
}

function aboutOf({ metadata, created, updated }: Described, today: string): Description {
  const nobody = { name: '', ror: undefined }
  const nowhere = { url: '', origin: '', links: {}, exports: [], files: [] }
  const source = { id: '', isDraft: true, revision: 0, created, updated, ...nowhere }
  return describe({ ...source, metadata, document: metadata, publisher: nobody, today })
}

/** As the description alone says it, with the names that InvenioRDM writes itself. */
function write({ metadata }: Described, about: Description): JsonObject {
  const written = objectOf(asJson(toRdm(about)))
  const { publication_date: date, ...others } = written
  const named =
    metadata['publication_date'] === undefined
      ? others
      : { ...others, publication_date: date ?? null }
  return withNames(named)
}

/** `Family, Given` of each person, which the service writes there. */
function withNames(metadata: JsonObject): JsonObject {
  const lists = (['creators', 'contributors'] as const).flatMap((name) => {
    const agents = metadata[name]
    return agents !== undefined && isJsonArray(agents)
      ? [[name, agents.map(withName)] as const]
      : []
  })
  return { ...metadata, ...Object.fromEntries(lists) }
}

function withName(agent: Json): Json {
  if (!isJsonObject(agent)) return agent
  const person = objectOf(agent['person_or_org'])
  if (person['type'] !== 'personal' || person['name'] !== undefined) return agent
  const parts = [person['family_name'], person['given_name']].filter(
    (part) => typeof part === 'string',
  )
  return { ...agent, person_or_org: { ...person, name: parts.join(', ') } }
}

const meaningOf = (metadata: JsonObject): unknown => inMeaning(fromRdm({ metadata }))

function keptOf(metadata: JsonObject): JsonObject {
  return objectOf(metadata[beside])
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function objectOf(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {}
}

/** Without fields that are undefined. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
