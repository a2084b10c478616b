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
  const meaning = meaningOf(written)
  const shown = Object.entries(kept).map(
    ([name, value]) => [name, withAdded(value, written[name])] as const,
  )
  return Object.fromEntries(
    shown.filter(([name, value]) =>
      isDeepStrictEqual(meaningOf({ ...written, [name]: value }), meaning),
    ),
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
