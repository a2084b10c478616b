import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isJsonArray, type Json, type JsonObject } from '../base/json.ts'

/**
 * The one text of a value: the same for documents that differ in the order of fields only.
 *
 * @see RFC 8785 (JSON Canonicalization Scheme)
 */
export function canonicalJson(value: Json): string {
  const ordered = inOrder(value)
  const text = ordered === undefined ? canonicalize(value) : JSON.stringify(ordered)
  if (text === undefined) throw new TypeError('only JSON has a canonical text')
  return text
}

/** A document as it is stored. */
export interface CanonicalDocument {
  readonly text: string
  /** SHA-256 of the text. */
  readonly digest: string
}

const known = new WeakMap<JsonObject, CanonicalDocument>()

/** The canonical text of a document, made once: a publish stores the same document several times. */
export function canonicalDocument(document: JsonObject): CanonicalDocument {
  const found = known.get(document)
  if (found) return found
  const text = canonicalJson(document)
  const made = { text, digest: sha256(text) }
  known.set(document, made)
  return made
}

/** The canonical text of a document, where it was made before. */
export function knownText(document: JsonObject): string | undefined {
  return known.get(document)?.text
}

/** Bytes of the canonical text of a document that is stored, or will be. */
export function documentSize(document: JsonObject): number {
  return Buffer.byteLength(canonicalDocument(document).text)
}

/** Deeper values are left to the library, which does not recurse. */
const mostDepth = 500

/**
 * The value with the fields of its objects in their order, itself where they are: `JSON.stringify`
 * writes numbers and strings as RFC 8785 requires, several times as fast as the library. Undefined
 * for a value that RFC 8785 writes differently.
 */
function inOrder(value: Json | undefined, depth = 0): Json | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth > mostDepth) return undefined
  return isJsonArray(value) ? elementsInOrder(value, depth) : fieldsInOrder(value, depth)
}

function elementsInOrder(array: readonly Json[], depth: number): readonly Json[] | undefined {
  let copy: Json[] | undefined
  for (let index = 0; index < array.length; index += 1) {
    const element = inOrder(array[index], depth + 1)
    if (element === undefined) return undefined
    if (element === array[index]) continue
    copy ??= [...array]
    copy[index] = element
  }
  return copy ?? array
}

function fieldsInOrder(object: JsonObject, depth: number): JsonObject | undefined {
  const fields = Object.keys(object)
  const isSorted = isRising(fields)
  if (!isSorted) fields.sort()
  let copy: Record<string, Json> | undefined = isSorted ? undefined : {}
  for (const [index, field] of fields.entries()) {
    const value = inOrder(object[field], depth + 1)
    // An assignment makes no field of this name.
    if (value === undefined || field === '__proto__' || !field.isWellFormed()) return undefined
    if (!copy && value === object[field]) continue
    copy ??= copyOf(object, fields.slice(0, index))
    copy[field] = value
  }
  // Names that are whole numbers come first in every object, in the order of the numbers.
  return !copy || isSorted || isRising(Object.keys(copy)) ? (copy ?? object) : undefined
}

function copyOf(object: JsonObject, fields: readonly string[]): Record<string, Json> {
  return Object.fromEntries(fields.map((field) => [field, object[field] ?? null]))
}

function isRising(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index += 1) {
    if ((names[index - 1] ?? '') > (names[index] ?? '')) return false
  }
  return true
}

/** SHA-256 of the UTF-8 of `text`: 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
