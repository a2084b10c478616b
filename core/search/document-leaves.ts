import type { Json } from '../base/json.ts'
import type { FieldPath } from './ast.ts'
import type { IndexedDocument } from './indexed-document.ts'

/** A value that can be compared: null, arrays and objects are only the way to one. */
export type Leaf = string | number | boolean

/**
 * The values at a path: through arrays into each of their elements, and everything below where the
 * path ends at an object. `_created` and `_updated` are the document's own times.
 */
export function* leavesAt(indexed: IndexedDocument, path: FieldPath): Generator<Leaf> {
  if (path.length === 1 && path[0] === '_created') yield indexed.created
  else if (path.length === 1 && path[0] === '_updated') yield indexed.updated
  else yield* descend(indexed.document, path, 0)
}

/** Values that a term without a field is searched in: the user's fields and the identifiers. */
export function* plainLeaves(indexed: IndexedDocument, without?: string): Generator<Leaf> {
  for (const [name, value] of Object.entries(indexed.document)) {
    if (!isServiceField(name) && name !== without) yield* leavesOf(value)
  }
  yield* leavesAt(indexed, ['_deposit', 'id'])
  yield* leavesAt(indexed, ['_deposit', 'value'])
}

/** True for the top-level fields that only a query with a field looks into. */
export function isServiceField(name: string): boolean {
  return name === '_deposit' || name === '$schema' || name === '_created' || name === '_updated'
}

export function* leavesOf(value: Json): Generator<Leaf> {
  if (value === null) return
  if (typeof value !== 'object') yield value
  else for (const inner of Object.values<Json>(value)) yield* leavesOf(inner)
}

function* descend(value: Json, path: FieldPath, depth: number): Generator<Leaf> {
  const name = path[depth]
  if (name === undefined) yield* leavesOf(value)
  else if (isArray(value)) for (const inner of value) yield* descend(inner, path, depth)
  else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
    yield* descend(value[name] ?? null, path, depth + 1)
  }
}

/** `Array.isArray` does not narrow a readonly array. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Characters of the text of a document, by which its place in memory is estimated. */
export function textLength({ document }: IndexedDocument): number {
  let length = 0
  for (const leaf of leavesOf(document)) length += typeof leaf === 'string' ? leaf.length : 8
  return length
}
