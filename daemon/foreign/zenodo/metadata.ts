import { threeLetters } from '../../../core/contract/languages.ts'
import { fromZenodo } from '../../../core/contract/zenodo-metadata.ts'
import {
  describe,
  isJsonArray,
  isJsonObject,
  toZenodo,
  type JsonObject,
} from '../../../core/index.ts'
import { differing, inMeaning, mergeSaid, requireFew, stillTrue } from '../kept-fields.ts'
import { isOwnLicense } from './licenses.ts'

/** A document with its times, from which Zenodo's metadata are written. */
export interface Described {
  readonly metadata: JsonObject
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
}

/** The field of our documents that holds what only Zenodo's metadata say. */
const beside = 'zenodo'

/**
 * Fields that say who may have the files. Our `access` says the same; those that cannot be told so, an
 * embargo without its day, are fields of the document, where publishing finds them.
 */
const ofAccess = ['access_right', 'embargo_date', 'access_conditions'] as const

/** Fields that say between them what kind of thing it is. */
const ofTypes = ['upload_type', 'publication_type', 'image_type'] as const

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
  const shown = withSchemes({
    ...written,
    ...Object.fromEntries(access),
    ...(isJsonObject(kept) && stillTrue(ofType(kept, written), written, meaningOf, ofTypes)),
  })
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))
}

/** In our terms: a language is the same one by either code. */
function meaningOf(metadata: JsonObject): unknown {
  const { language, ...others } = inMeaning(fromZenodo(metadata))
  return { ...others, language: typeof language === 'string' ? threeLetters(language) : undefined }
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
  const opens = said['access_right'] === 'open'
  const isTold = opens || is['access'] !== undefined
  const { access: limits } = before.metadata
  const own = mergeSaid(before.metadata, was, is, (name) => !isOfZenodo(name))
  const words = isTold
    ? []
    : ofAccess.flatMap((name) => (said[name] === undefined ? [] : [[name, said[name]] as const]))
  const document: JsonObject = {
    ...own,
    // Only `access_right: open` opens files.
    ...(!isTold && limits !== undefined && { access: limits }),
    ...Object.fromEntries(words),
  }
  const told = Object.entries(said).filter(([name]) => isTold || !isOfAccess(name))
  const next = write({ ...before, metadata: document }, today)
  const kept = { ...differing(Object.fromEntries(told), next), ...withoutKind(said, next) }
  requireFew(kept)
  return Object.keys(kept).length === 0 ? document : { ...document, [beside]: kept }
}

/** Without the kind of a type that the deposition does not have any more. */
function ofType(kept: JsonObject, written: JsonObject): JsonObject {
  const type = kept['upload_type'] ?? written['upload_type']
  const isOther = (name: string): boolean =>
    ['publication_type', 'image_type'].includes(name) &&
    (typeof type !== 'string' || `${type}_type` !== name)
  return Object.fromEntries(Object.entries(kept).filter(([name]) => !isOther(name)))
}

/** Null for the kind of a publication or image that was sent without one: none is made up for it. */
function withoutKind({ upload_type: type, ...said }: JsonObject, next: JsonObject): JsonObject {
  const name = typeof type === 'string' ? `${type}_type` : ''
  return Object.hasOwn(next, name) && !Object.hasOwn(said, name) ? { [name]: null } : {}
}

function isOfZenodo(name: string): boolean {
  return name === beside || isOfAccess(name)
}

function isOfAccess(name: string): boolean {
  return ofAccess.some((known) => known === name)
}

/** As the description alone says it. */
function write({ metadata, created, updated }: Described, today: string): JsonObject {
  const nobody = { name: '', ror: undefined }
  const nowhere = { url: '', origin: '', links: {}, exports: [], files: [] }
  const source = { id: '', isDraft: true, revision: 0, created, updated, ...nowhere }
  const about = describe({ ...source, metadata, document: metadata, publisher: nobody, today })
  const written = JSON.parse(JSON.stringify(toZenodo(about))) as JsonObject
  const { license, language } = metadata
  const code = typeof language === 'string' ? threeLetters(language) : undefined
  return {
    ...written,
    ...(typeof license === 'string' && isOwnLicense(license) && { license: license.toLowerCase() }),
    ...(code !== undefined && { language: code }),
  }
}

/** Every related identifier has a scheme: Zenodo finds it itself. */
function withSchemes(metadata: JsonObject): JsonObject {
  const related = metadata['related_identifiers']
  if (related === undefined || !isJsonArray(related)) return metadata
  const named = related.map((each) => (isJsonObject(each) ? { scheme: 'other', ...each } : each))
  return { ...metadata, related_identifiers: named }
}
