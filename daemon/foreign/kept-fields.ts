import { isDeepStrictEqual } from 'node:util'
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
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

/**
 * Those of the kept fields that change nothing in what the document says.
 *
 * @param meaningOf another service's metadata in our terms
 */
export function stillTrue(
  kept: JsonObject,
  written: JsonObject,
  meaningOf: (metadata: JsonObject) => unknown,
): JsonObject {
  const shown: JsonObject = Object.fromEntries(
    Object.entries(kept).map(([name, value]) => [name, withAdded(value, written[name])]),
  )
  const meaning = meaningOf(written)
  const read = new Set<string>()
  const all = meaningOf(noting({ ...written, ...shown }, read))
  if (isDeepStrictEqual(all, meaning)) return shown
  const unread = Object.entries(shown).filter(([name]) => !read.has(name))
  // Each beside the short fields alone: with all of them, the time would grow with the square.
  const short = Object.fromEntries(Object.entries(written).filter(([, value]) => isShort(value)))
  const meaningIn = (name: string, value: Json | undefined): unknown =>
    meaningOf(value === undefined ? withoutField(short, name) : { ...short, [name]: value })
  const same = Object.entries(shown).filter(
    ([name, value]) =>
      read.has(name) && isDeepStrictEqual(meaningIn(name, value), meaningIn(name, written[name])),
  )
  const found = Object.fromEntries([...same, ...unread])
  const isSame = isDeepStrictEqual(meaningOf({ ...written, ...found }), meaning)
  return isSame ? found : Object.fromEntries(unread)
}

/** Characters of a text that says little more than an identifier does. */
const shortText = 200

function isShort(value: Json): boolean {
  return typeof value === 'string' ? value.length <= shortText : typeof value !== 'object'
}

function withoutField(fields: JsonObject, name: string): JsonObject {
  const { [name]: _, ...others } = fields
  return others
}

/** The same fields, which note the names that are read. */
function noting(fields: JsonObject, read: Set<string>): JsonObject {
  return new Proxy(fields, {
    get: (target, name) => {
      if (typeof name === 'string') read.add(name)
      return Reflect.get(target, name) as unknown
    },
    ownKeys: (target) => {
      for (const name of Object.keys(target)) read.add(name)
      return Reflect.ownKeys(target)
    },
  })
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
