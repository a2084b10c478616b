import {
  childPointer,
  isJsonArray,
  isJsonObject,
  isSameJson,
  ownField,
  parsePointer,
  type Json,
  type JsonObject,
} from '../base/json.ts'
import type { Deposit } from './deposit.ts'

/** An operation of a JSON Patch; those of a history never move, copy or test. @see RFC 6902 */
export type ChangeOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

/** What one change made of a document, and the way back. Empty where they are the same. */
export interface DocumentChange {
  readonly patch: readonly ChangeOperation[]
  readonly undo: readonly ChangeOperation[]
}

/** Operations below one field of the root; with more, the field is replaced as a whole. */
const mostOperations = 100

/**
 * The difference between two documents as patches, both ways. Neither is much larger than the
 * document that it leads to, and the root itself is never replaced.
 *
 * Recurses as deep as the documents are, which the gate of all input limits.
 */
export function findChange(before: JsonObject, after: JsonObject): DocumentChange {
  const found = new Difference()
  for (const field of fieldsOf(before, after)) {
    const sides = { before: ownField(before, field), after: ownField(after, field) }
    const below = new Difference()
    const isShort = below.compare(childPointer('', field), sides, mostOperations)
    if (isShort) found.append(below)
    else found.note(childPointer('', field), sides)
  }
  return found.toChange()
}

interface Sides {
  readonly before: Json | undefined
  readonly after: Json | undefined
}

class Difference {
  readonly #patch: ChangeOperation[] = []
  /** In the order of `#patch`; read backwards it is a patch. */
  readonly #undo: ChangeOperation[] = []

  append(other: Difference): void {
    for (const each of other.#patch) this.#patch.push(each)
    for (const each of other.#undo) this.#undo.push(each)
  }

  toChange(): DocumentChange {
    return { patch: this.#patch, undo: this.#undo.toReversed() }
  }

  /** A value that came, went or became another one. */
  note(path: string, { before, after }: Sides): void {
    if (after !== undefined)
      this.#patch.push({ op: before === undefined ? 'add' : 'replace', path, value: after })
    else this.#patch.push({ op: 'remove', path })
    if (before !== undefined)
      this.#undo.push({ op: after === undefined ? 'add' : 'replace', path, value: before })
    else this.#undo.push({ op: 'remove', path })
  }

  /** @returns false where there are more than `most` operations: then they are not complete */
  compare(path: string, sides: Sides, most: number): boolean {
    const { before, after } = sides
    if (isSameJson(before, after)) return true
    if (isJsonObject(before) && isJsonObject(after)) this.#compareFields(path, before, after, most)
    else if (isJsonArray(before) && isJsonArray(after))
      this.#compareElements(path, before, after, most)
    else this.note(path, sides)
    return this.#patch.length <= most
  }

  #compareFields(path: string, before: JsonObject, after: JsonObject, most: number): void {
    for (const field of fieldsOf(before, after)) {
      const sides = { before: ownField(before, field), after: ownField(after, field) }
      if (!this.compare(childPointer(path, field), sides, most)) return
    }
  }

  /** Between equal elements at the start and at the end, elements are compared in pairs. */
  #compareElements(
    path: string,
    before: readonly Json[],
    after: readonly Json[],
    most: number,
  ): void {
    const common = Math.min(before.length, after.length)
    let start = 0
    while (start < common && isSameJson(before[start], after[start])) start += 1
    let end = 0
    while (end < common - start && isSameJson(before.at(-1 - end), after.at(-1 - end))) end += 1
    const paired = common - end
    for (let index = start; index < paired; index += 1) {
      const sides = { before: before[index], after: after[index] }
      if (!this.compare(childPointer(path, index), sides, most)) return
    }
    for (let index = before.length - end - 1; index >= paired; index -= 1) {
      this.note(childPointer(path, index), { before: before[index], after: undefined })
      if (this.#patch.length > most) return
    }
    for (let index = paired; index < after.length - end; index += 1) {
      this.note(childPointer(path, index), { before: undefined, after: after[index] })
      if (this.#patch.length > most) return
    }
  }
}

function fieldsOf(before: JsonObject, after: JsonObject): ReadonlySet<string> {
  return new Set([...Object.keys(before), ...Object.keys(after)])
}

/** What operations of a history are applied to: a copy that nothing else sees. */
type Holder = Json[] | Record<string, Json>

/**
 * Applies patches of a history, one after another, and leaves the document as it is.
 *
 * @throws {TypeError} a patch is not of this document
 */
export function applyChanges(
  document: JsonObject,
  patches: Iterable<readonly ChangeOperation[]>,
): JsonObject {
  const root = structuredClone(document) as Record<string, Json>
  for (const patch of patches) for (const operation of patch) apply(root, operation)
  return root
}

function apply(root: Record<string, Json>, operation: ChangeOperation): void {
  const steps = parsePointer(operation.path) ?? []
  const last = steps.at(-1)
  const holder = steps.slice(0, -1).reduce<unknown>(valueIn, root) as Holder | undefined
  if (last === undefined || typeof holder !== 'object') throw foreign(operation)
  if (Array.isArray(holder)) changeElement(holder, Number(last), operation)
  else if (operation.op === 'remove') Reflect.deleteProperty(holder, last)
  else define(holder, last, structuredClone(operation.value))
}

function changeElement(array: Json[], index: number, operation: ChangeOperation): void {
  const most = operation.op === 'add' ? array.length : array.length - 1
  if (!(index <= most)) throw foreign(operation)
  const values = operation.op === 'remove' ? [] : [structuredClone(operation.value)]
  array.splice(index, operation.op === 'add' ? 0 : 1, ...values)
}

function valueIn(holder: unknown, step: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step))
    return undefined
  return Reflect.get(holder, step)
}

/** An assignment makes no field of the name `__proto__`. */
function define(holder: Record<string, Json>, field: string, value: Json): void {
  Object.defineProperty(holder, field, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

function foreign({ op, path }: ChangeOperation): TypeError {
  return new TypeError(`a kept change is not of this document: ${op} ${path}`)
}

/** The document as a history knows it: with `$schema` as a path of the registry. */
export function keptDocument({ metadata, schema }: DocumentFields): JsonObject {
  return { ...metadata, $schema: schema }
}

/** The fields of a deposit that a document of its history stands for. */
export function fieldsOfKept({ $schema: schema, ...metadata }: JsonObject): DocumentFields {
  return { metadata, schema: typeof schema === 'string' ? schema : null }
}

type DocumentFields = Pick<Deposit, 'metadata' | 'schema'>
