import { isDeepStrictEqual } from 'node:util'
import { fromZenodo } from '../../../core/contract/zenodo-metadata.ts'
import {
  canonicalJson,
  describe,
  isJsonArray,
  isJsonObject,
  toZenodo,
  type Json,
  type JsonObject,
} from '../../../core/index.ts'

/** A document with its times, from which Zenodo's metadata are written. */
export interface Described {
  readonly metadata: JsonObject
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
}

/** The field of our documents that holds what only Zenodo's metadata say. */
const beside = 'zenodo'

/** Fields of documents that say who may have the files: publishing looks for them there. */
const ofAccess = ['access_right', 'embargo_date', 'access_conditions'] as const

/** Fields that the service writes; clients send them back. */
const ofService = ['prereserve_doi']

/**
 * Zenodo's metadata of a document: written from its description, with what was sent over it, where
 * that still means the same.
 *
 * @param today `YYYY-MM-DD`, UTC
 */
export function toMetadata(document: Described, today: string): JsonObject {
  const { metadata } = document
  const written = write(document, today)
  const access = ofAccess.flatMap((name) => {
    const said = metadata[name]
    const isSaid = said !== undefined && (name !== 'access_right' || written[name] === 'open')
    return isSaid ? [[name, said] as const] : []
  })
  const kept = metadata[beside]
  return withSchemes({
    ...written,
    ...Object.fromEntries(access),
    ...(isJsonObject(kept) && stillTrue(kept, written)),
  })
}

/**
 * Our document from Zenodo's metadata. What is sent as it was shown stays as the document had it, so
 * that fields Zenodo does not know, or knows less well, are not lost.
 *
 * @param before the document as it is
 */
export function toDocument(sent: JsonObject, before: Described, today: string): JsonObject {
  const said = Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => !ofService.includes(name) && value !== null),
  )
  const [was, is] = [fromZenodo(toMetadata(before, today)), fromZenodo(said)]
  const written = write(before, today)
  const opens = said['access_right'] === 'open' && written['access_right'] !== 'open'
  const own = Object.entries(before.metadata).filter(([name]) => {
    if (name === 'access') return !opens
    const isTold = Object.hasOwn(was, name) || Object.hasOwn(is, name)
    return isTold ? isDeepStrictEqual(was[name], is[name]) : !isOfZenodo(name)
  })
  const changed = Object.entries(is).filter(([name, value]) => !isDeepStrictEqual(was[name], value))
  const access = ofAccess.flatMap((name) => {
    const value = said[name]
    const isOpen = name === 'access_right' && value === 'open'
    const isSaid = isOpen || isDeepStrictEqual(value, written[name])
    return value === undefined || isSaid ? [] : [[name, value] as const]
  })
  const document = Object.fromEntries([...own, ...changed, ...access]) as JsonObject
  const kept = differing(said, write({ ...before, metadata: document }, today))
  return Object.keys(kept).length === 0 ? document : { ...document, [beside]: kept }
}

function isOfZenodo(name: string): boolean {
  return name === beside || ofAccess.some((known) => known === name)
}

/** As the description alone says it. */
function write({ metadata, created, updated }: Described, today: string): JsonObject {
  const nobody = { name: '', ror: undefined }
  const nowhere = { url: '', origin: '', links: {}, exports: [], files: [] }
  const source = { id: '', isDraft: true, revision: 0, created, updated, ...nowhere }
  const about = describe({ ...source, metadata, document: metadata, publisher: nobody, today })
  return JSON.parse(JSON.stringify(toZenodo(about))) as JsonObject
}

/** The fields that were sent otherwise than they are written. */
function differing(sent: JsonObject, written: JsonObject): JsonObject {
  const names = Object.keys(sent).filter((name) => !ofAccess.some((known) => known === name))
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = sent[name]
      if (value === undefined || isEmpty(value)) return []
      return canonicalJson(value) === canonicalJson(written[name] ?? null)
        ? []
        : [[name, value] as const]
    }),
  )
}

/** Clients that decode strictly take no empty lists. */
function isEmpty(value: Json): boolean {
  return isJsonArray(value) && value.length === 0
}

/** Those of the kept fields that change nothing in what the document says. */
function stillTrue(kept: JsonObject, written: JsonObject): JsonObject {
  const meaning = fromZenodo(written)
  const shown = Object.entries(kept).map(
    ([name, value]) => [name, withAdded(value, written[name])] as const,
  )
  return Object.fromEntries(
    shown.filter(([name, value]) => {
      if (name === 'publication_type' || name === 'image_type') {
        const type = kept['upload_type'] ?? written['upload_type']
        if (typeof type !== 'string' || `${type}_type` !== name) return false
      }
      return isDeepStrictEqual(fromZenodo({ ...written, [name]: value }), meaning)
    }),
  )
}

/** Adds to objects of a list what is written of the same ones: schemes of identifiers, for example. */
function withAdded(kept: Json, written: Json | undefined): Json {
  if (!isJsonArray(kept) || written === undefined || !isJsonArray(written)) return kept
  const others = new Map(
    written.filter(isJsonObject).map((other) => [nameOf(other), other] as const),
  )
  return kept.map((item) => (isJsonObject(item) ? { ...others.get(nameOf(item)), ...item } : item))
}

/** What an object of a list is told apart by. */
function nameOf({ identifier, relation, name, type }: JsonObject): string {
  return canonicalJson([identifier ?? name ?? null, relation ?? type ?? null])
}

/** Every related identifier has a scheme: Zenodo finds it itself. */
function withSchemes(metadata: JsonObject): JsonObject {
  const related = metadata['related_identifiers']
  if (related === undefined || !isJsonArray(related)) return metadata
  const named = related.map((each) => (isJsonObject(each) ? { scheme: 'other', ...each } : each))
  return { ...metadata, related_identifiers: named }
}
