import { isDeepStrictEqual } from 'node:util'
import { inOurMarks } from '../../core/contract/write-markdown.ts'
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  problem,
  type Json,
  type JsonObject,
} from '../../core/index.ts'

/** In our terms, read from another service's metadata. */
type Told = Readonly<Record<string, unknown>>

/**
 * The fields of a document after somebody sent another service's metadata: what is told as it was
 * shown stays as the document had it, so that fields which that service does not know, or knows less
 * well, are not lost.
 *
 * @param was in our terms, what was shown of the document
 * @param is in our terms, what was sent
 * @param stays whether a field that neither tells stays
 */
export function mergeSaid(
  document: JsonObject,
  was: Told,
  is: Told,
  stays: (name: string) => boolean,
): JsonObject {
  const own = Object.entries(document).filter(([name]) => {
    const isTold = Object.hasOwn(was, name) || Object.hasOwn(is, name)
    return isTold ? isDeepStrictEqual(was[name], is[name]) : stays(name)
  })
  const changed = Object.entries(is).filter(([name, value]) => !isDeepStrictEqual(was[name], value))
  return Object.fromEntries([...own, ...changed]) as JsonObject
}

/** The fields that were sent otherwise than they are written. */
export function differing(sent: JsonObject, written: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => {
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

/** Fields that are kept of a document: more are not taken, nor shown of a document that has them. */
export const mostKept = 200

/** @throws {DepositError} invalid_document: more fields are to be kept than are taken */
export function requireFew(kept: JsonObject): void {
  if (Object.keys(kept).length <= mostKept) return
  const message = `At most ${mostKept} fields are kept that this service does not know.`
  throw problem('invalid_document', { faults: [{ field: 'metadata', message }] })
}

/**
 * What metadata in our terms say: texts that are HTML in other services say the same in any marks of
 * Markdown.
 */
export function inMeaning(metadata: Told): Told {
  const texts = ['description', 'methods', 'notes'].flatMap((name) => {
    const text = metadata[name]
    return typeof text === 'string' ? [[name, inOurMarks(text)] as const] : []
  })
  return { ...metadata, ...Object.fromEntries(texts) }
}

/**
 * Those of the kept fields that change nothing in what the document says. Each is read alone, with
 * those it is read together with: the cost grows with the size of the metadata, not with its square.
 *
 * @param meaningOf another service's metadata in our terms; a term comes of one field, or of `together`
 * @param together the fields that say one thing between them
 */
export function stillTrue(
  kept: JsonObject,
  written: JsonObject,
  meaningOf: (metadata: JsonObject) => unknown,
  together: readonly string[] = [],
): JsonObject {
  const shown = Object.entries(kept)
    .slice(0, mostKept)
    .map(([name, value]) => [name, withAdded(value, written[name])] as const)
  return Object.fromEntries(
    shown.filter(([name, value]) => {
      const alone = pick(written, together.includes(name) ? together : [name])
      return isDeepStrictEqual(meaningOf({ ...alone, [name]: value }), meaningOf(alone))
    }),
  )
}

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined
      return value === undefined ? [] : [[name, value] as const]
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
