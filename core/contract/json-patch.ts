import {
  isDeeperThan,
  isJsonArray,
  isJsonObject,
  isSameJson,
  jsonSize,
  ownField,
  parsePointer,
  toPointer,
  type Json,
  type JsonObject,
} from '../base/json.ts'

/** Tokens of a JSON pointer into the document. */
type Path = readonly string[]

/** One operation of a patch whose form is known to be right. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Path; readonly value: Json }
  | { readonly op: 'remove'; readonly path: Path }
  | { readonly op: 'move' | 'copy'; readonly path: Path; readonly from: Path }

/** Most operations a patch may have. */
export const maxOperations = 100

export const patchLimits = {
  /** Bytes of JSON; also the most that all `copy` of one patch together may copy. */
  maxSize: 1_048_576,
  /** Arrays and objects within each other. */
  maxDepth: 64,
  /** Arrays and objects together. */
  maxParts: 50_000,
} as const

/** Names through which a program's own objects could be reached. */
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const arrayIndex = /^(?:0|[1-9]\d{0,6})$/

/** An operation that cannot be read or applied; the message is the reason. */
export class PatchFault extends Error {
  override readonly name = 'PatchFault'
}

/**
 * Reads one operation. Members that RFC 6902 does not know are ignored, as it demands.
 *
 * @param reserved fields of the root that no operation may change
 * @throws {PatchFault}
 * @see RFC 6902, section 4
 */
export function readOperation(operation: Json, reserved: readonly string[] = []): PatchOperation {
  if (!isJsonObject(operation)) throw new PatchFault('An operation is an object.')
  const read = readMembers(operation)
  const changed = read.op === 'move' ? [read.path, read.from] : [read.path]
  const root = changed.map(([name = '']) => name).find((name) => reserved.includes(name))
  if (root === undefined || read.op === 'test') return read
  throw new PatchFault(`/${root} belongs to the service and cannot be changed.`)
}

function readMembers(operation: JsonObject): PatchOperation {
  const op: unknown = ownField(operation, 'op')
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return { op, path: readPath(operation, 'path'), value: readValue(operation) }
    case 'remove': {
      const path = readPath(operation, 'path')
      if (path.length > 0) return { op, path }
      throw new PatchFault('The whole document cannot be removed.')
    }
    case 'copy':
    case 'move': {
      const [path, from] = [readPath(operation, 'path'), readPath(operation, 'from')]
      const isWithin = path.length > from.length && isSameJson(path.slice(0, from.length), from)
      if (op === 'copy' || !isWithin) return { op, path, from }
      throw new PatchFault('A value cannot be moved into itself.')
    }
    default:
      throw new PatchFault('"op" is one of add, remove, replace, move, copy and test.')
  }
}

function readPath(operation: JsonObject, member: 'path' | 'from'): Path {
  const text = ownField(operation, member)
  const path = typeof text === 'string' ? parsePointer(text) : undefined
  if (!path) throw new PatchFault(`"${member}" is a JSON pointer such as "/title".`)
  if (path.length > patchLimits.maxDepth) throw new PatchFault(`"${member}" is too deep.`)
  const token = path.find((name) => forbidden.has(name))
  if (token !== undefined) throw new PatchFault(`"${member}" may not pass ${token}.`)
  return path
}

function readValue(operation: JsonObject): Json {
  const value = ownField(operation, 'value')
  if (value === undefined) throw new PatchFault('"value" is missing.')
  return value
}

type Holder = Json[] | Record<string, Json>

/**
 * A document that operations change one after another. The one it was made of, and the values of
 * the operations, stay as they are: arrays and objects are copied when they are first changed.
 */
export class PatchedDocument {
  #value: Json
  #size: number
  #copied = 0
  /** Copies that nothing else sees, and that are in the document once. */
  #own = new WeakSet<object>()
  /** Sizes of values that do not change. */
  readonly #sizes = new WeakMap<object, number>()

  constructor(document: Json) {
    this.#value = document
    this.#size = this.#sizeOf(document)
  }

  get value(): Json {
    return this.#value
  }

  /** @throws {PatchFault} */
  apply(operation: PatchOperation): void {
    const { path } = operation
    switch (operation.op) {
      case 'add':
        this.#add(path, operation.value)
        break
      case 'remove':
        this.#take(path)
        break
      case 'replace':
        this.#replace(path, operation.value)
        break
      case 'test':
        if (isSameJson(this.#require(path), operation.value)) break
        throw new PatchFault(`The value at "${toPointer(path)}" is another one.`)
      case 'move':
        this.#move(operation.from, path)
        break
      case 'copy':
        this.#copy(operation.from, path)
        break
    }
  }

  #add(path: Path, value: Json): void {
    this.#grow(this.#sizeOf(value))
    requireShallow(path, value)
    this.#put(path, value)
  }

  #take(path: Path): Json {
    const taken = this.#require(path)
    const { holder, token } = this.#holderOf(path)
    if (Array.isArray(holder)) holder.splice(Number(token), 1)
    else Reflect.deleteProperty(holder, token)
    this.#size -= this.#sizeOf(taken)
    return taken
  }

  #replace(path: Path, value: Json): void {
    const replaced = this.#require(path)
    this.#grow(this.#sizeOf(value) - this.#sizeOf(replaced))
    requireShallow(path, value)
    if (path.length === 0) this.#value = value
    else Object.assign(this.#holderOf(path).holder, { [path.at(-1) ?? '']: value })
  }

  #move(from: Path, path: Path): void {
    const moved = this.#require(from)
    if (isSameJson(from, path)) return
    if (path.length > from.length) requireShallow(path, moved)
    this.#take(from)
    this.#size += this.#sizeOf(moved)
    this.#put(path, moved)
  }

  #copy(from: Path, path: Path): void {
    const copied = this.#require(from)
    this.#copied += this.#sizeOf(copied)
    if (this.#copied > patchLimits.maxSize) throw new PatchFault('The patch copies too much.')
    // It will be there twice, maybe within itself: a change of one leaves the other.
    this.#own = new WeakSet()
    this.#add(path, copied)
  }

  /** Puts a value where it may be added; its size is counted already. */
  #put(path: Path, value: Json): void {
    if (path.length === 0) {
      this.#size -= this.#sizeOf(this.#value)
      this.#value = value
      return
    }
    const { holder, token } = this.#holderOf(path)
    if (Array.isArray(holder)) {
      holder.splice(token === '-' ? holder.length : placeIn(holder, token), 0, value)
      return
    }
    const overwritten = ownField(holder, token)
    // RFC 6902 would make a field of that name; the end of an array is meant.
    if (token === '-' && overwritten === undefined)
      throw new PatchFault('"-" is the end of an array, and this is an object.')
    if (overwritten !== undefined) this.#size -= this.#sizeOf(overwritten)
    holder[token] = value
  }

  #require(path: Path): Json {
    const value = this.#valueAt(path)
    if (value !== undefined) return value
    throw new PatchFault(`There is nothing at "${toPointer(path)}".`)
  }

  /** The array or object that the last token of `path` is an index or a field of, to be changed. */
  #holderOf(path: Path): { readonly holder: Holder; readonly token: string } {
    const above = path.slice(0, -1)
    const found = this.#valueAt(above)
    if (!isJsonArray(found) && !isJsonObject(found))
      throw new PatchFault('There is no object or array to add to.')
    let holder = this.#ownOf(this.#value)
    this.#value = holder
    for (const name of above) {
      const below = this.#ownOf(stepInto(holder, name) ?? null)
      Object.assign(holder, { [name]: below })
      holder = below
    }
    return { holder, token: path.at(-1) ?? '' }
  }

  /** An array or object that may be changed: itself, or a copy. */
  #ownOf(value: Json): Holder {
    if (this.#own.has(value as object)) return value as Holder
    const copy = isJsonArray(value) ? [...value] : { ...(value as JsonObject) }
    this.#own.add(copy)
    return copy
  }

  #sizeOf(value: Json): number {
    if (typeof value !== 'object' || value === null || this.#own.has(value)) return jsonSize(value)
    const known = this.#sizes.get(value) ?? jsonSize(value)
    this.#sizes.set(value, known)
    return known
  }

  /** By own fields and written-out indexes alone. */
  #valueAt(path: Path): Json | undefined {
    return path.reduce<Json | undefined>(stepInto, this.#value)
  }

  #grow(bytes: number): void {
    if (this.#size + bytes > patchLimits.maxSize)
      throw new PatchFault(`The document would pass ${patchLimits.maxSize} bytes.`)
    this.#size += bytes
  }
}

function stepInto(value: Json | undefined, token: string): Json | undefined {
  if (isJsonArray(value)) return arrayIndex.test(token) ? value[Number(token)] : undefined
  return isJsonObject(value) ? ownField(value, token) : undefined
}

function placeIn(array: readonly Json[], token: string): number {
  if (!arrayIndex.test(token)) throw new PatchFault(`"${token}" is not the index of an array.`)
  if (Number(token) <= array.length) return Number(token)
  throw new PatchFault(`The array has only ${array.length} elements.`)
}

function requireShallow(path: Path, value: Json): void {
  if (!isDeeperThan(value, patchLimits.maxDepth - path.length)) return
  throw new PatchFault(`The document would be more than ${patchLimits.maxDepth} levels deep.`)
}
