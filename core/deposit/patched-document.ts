import { isDeepStrictEqual } from 'node:util'
import patching from 'fast-json-patch'
import type { Json } from '../json/json.ts'
import { toPointer } from '../contract/json-pointer.ts'
import { isDeeperThan, jsonSize } from '../json/canonical.ts'
import { invalidPatch, type PatchOperation, type Path } from './patch-operation.ts'
import { reasonAgainstAdding, valueAt } from './patch-target.ts'

/** What a patch may make of a document. */
export interface PatchLimits {
  /** Bytes of canonical JSON; also the most that all `copy` of one patch together may copy. */
  readonly maxSize: number
  /** Arrays and objects within each other. */
  readonly maxDepth: number
}

/**
 * A copy of a document that operations change one after another.
 *
 * Each is checked before the library applies it, because that follows inherited properties, wraps
 * large indexes around, copies without limit and writes the document into its errors.
 */
export class PatchedDocument {
  #value: Json
  #size: number
  #copied = 0
  readonly #limits: PatchLimits

  constructor(document: Json, limits: PatchLimits) {
    this.#value = structuredClone(document)
    this.#size = jsonSize(document)
    this.#limits = limits
  }

  get value(): Json {
    return this.#value
  }

  apply(operation: PatchOperation): void {
    const { index, path } = operation
    switch (operation.op) {
      case 'add':
        this.#add(path, operation.value, index)
        break
      case 'remove':
        this.#size -= jsonSize(this.#take(path, index))
        break
      case 'replace':
        this.#replace(path, operation.value, index)
        break
      case 'test':
        this.#test(path, operation.value, index)
        break
      case 'move':
        this.#move(operation.from, path, index)
        break
      case 'copy':
        this.#copy(operation.from, path, index)
        break
    }
  }

  #add(path: Path, value: Json, index: number): void {
    this.#requireShallow(path, value, index)
    this.#grow(jsonSize(value), index)
    this.#put(path, value, index)
  }

  #put(path: Path, value: Json, index: number): void {
    const reason = reasonAgainstAdding(this.#value, path)
    if (reason !== undefined) throw invalidPatch(index, reason)
    this.#size -= this.#sizeOfOverwritten(path)
    this.#change({ op: 'add', path: toPointer(path), value })
  }

  #take(path: Path, index: number): Json {
    const taken = this.#require(path, index)
    this.#change({ op: 'remove', path: toPointer(path) })
    return taken
  }

  #replace(path: Path, value: Json, index: number): void {
    const replaced = this.#require(path, index)
    this.#requireShallow(path, value, index)
    this.#grow(jsonSize(value) - jsonSize(replaced), index)
    this.#change({ op: 'replace', path: toPointer(path), value })
  }

  #test(path: Path, value: Json, index: number): void {
    if (isDeepStrictEqual(this.#require(path, index), value)) return
    throw invalidPatch(index, `The value at "${toPointer(path)}" is another one.`)
  }

  #move(from: Path, path: Path, index: number): void {
    const moved = this.#require(from, index)
    if (isDeepStrictEqual(from, path)) return
    if (path.length > from.length) this.#requireShallow(path, moved, index)
    this.#take(from, index)
    this.#put(path, moved, index)
  }

  #copy(from: Path, path: Path, index: number): void {
    const copied = this.#require(from, index)
    this.#copied += jsonSize(copied)
    if (this.#copied > this.#limits.maxSize) {
      throw invalidPatch(index, 'The patch copies too much.')
    }
    this.#add(path, structuredClone(copied), index)
  }

  #require(path: Path, index: number): Json {
    const value = valueAt(this.#value, path)
    if (value !== undefined) return value
    throw invalidPatch(index, `There is nothing at "${toPointer(path)}".`)
  }

  #sizeOfOverwritten(path: Path): number {
    const parent = valueAt(this.#value, path.slice(0, -1))
    const isInsertion = path.length > 0 && Array.isArray(parent)
    const overwritten = isInsertion ? undefined : valueAt(this.#value, path)
    return overwritten === undefined ? 0 : jsonSize(overwritten)
  }

  #requireShallow(path: Path, value: Json, index: number): void {
    const { maxDepth } = this.#limits
    if (!isDeeperThan(value, maxDepth - path.length)) return
    throw invalidPatch(index, `The document would be more than ${maxDepth} levels deep.`)
  }

  #grow(bytes: number, index: number): void {
    this.#size += bytes
    if (this.#size <= this.#limits.maxSize) return
    throw invalidPatch(index, `The document would pass ${this.#limits.maxSize} bytes.`)
  }

  #change(operation: patching.Operation): void {
    this.#value = patching.applyOperation(this.#value, operation, false, true).newDocument
  }
}
