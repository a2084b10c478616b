import { problem, type DepositError } from '../errors/errors.ts'
import { isJsonObject, ownField, type Json, type JsonObject } from '../json/json.ts'
import { parsePointer } from '../contract/json-pointer.ts'

/** Tokens of a JSON pointer into the document. */
export type Path = readonly string[]

interface Place {
  /** Position of the operation in its patch. */
  readonly index: number
  readonly path: Path
}

/** One operation of a patch whose form is known to be right. */
export type PatchOperation =
  | (Place & { readonly op: 'add' | 'replace' | 'test'; readonly value: Json })
  | (Place & { readonly op: 'remove' })
  | (Place & { readonly op: 'move' | 'copy'; readonly from: Path })

/** Longest path: nothing in a document lies deeper. */
const maxPath = 64

/** Names through which a program's own objects could be reached. */
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads one operation. Members that RFC 6902 does not know are ignored, as it demands.
 *
 * @param reserved fields of the root that no operation may change
 * @throws {DepositError} invalid_patch
 * @see RFC 6902, section 4
 */
export function parseOperation(
  operation: Json,
  index: number,
  reserved: readonly string[],
): PatchOperation {
  if (!isJsonObject(operation)) throw invalidPatch(index, 'An operation is an object.')
  const parsed = parseMembers(operation, index)
  for (const path of changedPaths(parsed)) {
    const [root] = path
    if (root === undefined || !reserved.includes(root)) continue
    throw invalidPatch(index, `/${root} belongs to the service and cannot be changed.`)
  }
  return parsed
}

function parseMembers(operation: JsonObject, index: number): PatchOperation {
  const op = parseName(operation, index)
  const path = parsePath(operation, 'path', index)
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return { op, index, path, value: requireValue(operation, index) }
    case 'remove':
      if (path.length > 0) return { op, index, path }
      throw invalidPatch(index, 'The whole document cannot be removed.')
    case 'copy':
      return { op, index, path, from: parsePath(operation, 'from', index) }
    case 'move':
      return { op, index, path, from: parseOrigin(operation, path, index) }
    default:
      throw unknownName(index)
  }
}

function parseName(operation: JsonObject, index: number): string {
  const op = ownField(operation, 'op')
  if (typeof op === 'string') return op
  throw unknownName(index)
}

/** @param operation its position in the patch; null for a fault of the patch as a whole */
export function invalidPatch(operation: number | null, reason: string): DepositError {
  return problem('invalid_patch', { operation, reason })
}

function unknownName(index: number): DepositError {
  return invalidPatch(index, '"op" is one of add, remove, replace, move, copy and test.')
}

function parsePath(operation: JsonObject, member: 'path' | 'from', index: number): Path {
  const text = ownField(operation, member)
  const path = typeof text === 'string' ? parsePointer(text) : undefined
  if (!path) throw invalidPatch(index, `"${member}" is a JSON pointer such as "/title".`)
  if (path.length > maxPath) throw invalidPatch(index, `"${member}" is too deep.`)
  const token = path.find((name) => forbidden.has(name))
  if (token !== undefined) throw invalidPatch(index, `"${member}" may not pass ${token}.`)
  return path
}

function parseOrigin(operation: JsonObject, path: Path, index: number): Path {
  const from = parsePath(operation, 'from', index)
  const isWithin = path.length > from.length && from.every((token, place) => token === path[place])
  if (isWithin) throw invalidPatch(index, 'A value cannot be moved into itself.')
  return from
}

function requireValue(operation: JsonObject, index: number): Json {
  const value = ownField(operation, 'value')
  if (value === undefined) throw invalidPatch(index, '"value" is missing.')
  return value
}

function changedPaths(operation: PatchOperation): readonly Path[] {
  if (operation.op === 'test') return []
  return operation.op === 'move' ? [operation.path, operation.from] : [operation.path]
}
