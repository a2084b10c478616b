/** A JSON value as it was parsed: I-JSON, so every number and string survives being stored. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** @see RFC 7493 (I-JSON) */
export interface JsonObject {
  readonly [field: string]: Json
}

/** True for what JSON calls an object: neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for a JSON array. */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** The field itself, never what an object inherits: undefined where `object` has no such field. */
export function ownField(object: JsonObject, field: string): Json | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined
}

/** True of equal values with their fields in any order; as `isDeepStrictEqual`, and faster. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (Object.is(one, other)) return true
  if (isJsonArray(one)) {
    if (!isJsonArray(other) || one.length !== other.length) return false
    return one.every((element, index) => isSameJson(element, other[index]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const fields = Object.keys(one)
  if (fields.length !== Object.keys(other).length) return false
  return fields.every((field) => {
    return Object.hasOwn(other, field) && isSameJson(one[field], other[field])
  })
}

/** Bytes of the canonical text of `value`. */
export function jsonSize(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** True when arrays and objects lie more than `limit` deep within each other; without recursion. */
export function isDeeperThan(value: Json, limit: number): boolean {
  let level: readonly Json[] = [value].filter(isContainer)
  for (let depth = 0; depth < limit && level.length > 0; depth += 1) {
    level = level.flatMap((container) => partsOf(container).filter(isContainer))
  }
  return level.length > 0
}

/** Objects and arrays in `value`, itself one of them; without recursion. */
export function countParts(value: Json): number {
  const found = [value].filter(isContainer)
  for (let at = 0; at < found.length; at += 1) {
    const part = found[at] ?? null
    for (const each of partsOf(part)) if (isContainer(each)) found.push(each)
  }
  return found.length
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function partsOf(value: Json): readonly Json[] {
  if (isJsonArray(value)) return value
  return isJsonObject(value) ? Object.values(value) : []
}

/**
 * Tokens of a JSON pointer; undefined for other text.
 *
 * @see RFC 6901
 */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer.slice(1).split('/').map(unescapeToken)
}

/** The pointer to a field or element below `pointer`. */
export function childPointer(pointer: string, token: string | number): string {
  return `${pointer}/${typeof token === 'number' ? token : escapeToken(token)}`
}

/** The JSON pointer made of `tokens`. */
export function toPointer(tokens: readonly (string | number)[]): string {
  return tokens.reduce(childPointer, '')
}

function escapeToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The value at a place of a document; undefined where there is none. */
export function valueAt(document: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    return isThere ? Reflect.get(value, step) : undefined
  }, document)
}
