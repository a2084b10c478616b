import {
  isJsonArray,
  isJsonObject,
  ownField,
  parsePointer,
  type Json,
  type JsonObject,
} from '../base/json.ts'
import { findStrayAccess, isPackageField, type StrayAccess } from '../contract/stray-access.ts'
import type { SchemaRegistry } from './registry.ts'

/** More are not told. */
const mostTold = 100

/**
 * Fields of a document that no schema has, and that are probably meant to close its files. An
 * operator's schema may have fields of such names: those have a meaning.
 *
 * @param paths of its schemas; null where there is none
 * @param now ISO 8601, in UTC
 */
export function findStrayFields(
  schemas: SchemaRegistry,
  paths: readonly (string | null)[],
  document: JsonObject,
  now: string,
): readonly StrayAccess[] {
  const known = paths
    .map((path) => (path === null ? undefined : schemas.find(path)))
    .filter((schema) => schema !== undefined)
  const isKnown = (name: string): boolean =>
    isPackageField(name) || known.some((schema) => namesOf(schema).has(name))
  return findStrayAccess(document, now, isKnown).slice(0, mostTold)
}

const knownNames = new WeakMap<JsonObject, ReadonlySet<string>>()

/** Keywords whose schemas speak of the same document. */
const same = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const

/** The names of a document's fields in a schema and in those that it is made of. */
function namesOf(schema: JsonObject): ReadonlySet<string> {
  const known = knownNames.get(schema)
  if (known) return known
  const names = new Set<string>()
  // A set ends by itself where schemas refer to each other.
  const parts = new Set<Json | undefined>([schema])
  for (const part of parts) {
    if (isJsonArray(part)) for (const each of part) parts.add(each)
    if (!isJsonObject(part)) continue
    const { properties, $ref: reference } = part
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name)
    for (const keyword of same) parts.add(part[keyword])
    if (typeof reference === 'string' && reference.startsWith('#')) {
      parts.add(partAt(schema, reference.slice(1)))
    }
  }
  knownNames.set(schema, names)
  return names
}

function partAt(schema: JsonObject, pointer: string): Json | undefined {
  const tokens = parsePointer(pointer) ?? []
  return tokens.reduce<Json | undefined>(
    (part, token) => (isJsonObject(part) ? ownField(part, token) : undefined),
    schema,
  )
}
