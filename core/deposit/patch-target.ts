import { isJsonArray, isJsonObject, ownField, type Json } from '../json/json.ts'
import type { Path } from './patch-operation.ts'

const arrayIndex = /^(?:0|[1-9]\d{0,6})$/

/** What lies at `path`, by own fields and written-out indexes alone; undefined where nothing does. */
export function valueAt(document: Json, path: Path): Json | undefined {
  let value: Json | undefined = document
  for (const token of path) value = value === undefined ? undefined : partOf(value, token)
  return value
}

/** Why nothing can be added at `path`; undefined where it can. */
export function reasonAgainstAdding(document: Json, path: Path): string | undefined {
  const last = path.at(-1)
  if (last === undefined) return undefined
  const parent = valueAt(document, path.slice(0, -1))
  if (isJsonArray(parent)) return reasonAgainstIndex(parent, last)
  if (!isJsonObject(parent)) return 'There is no object or array to add to.'
  // RFC 6902 would make a field of that name; whoever writes it means the end of an array.
  return last === '-' && ownField(parent, last) === undefined
    ? '"-" is the end of an array, and this is an object.'
    : undefined
}

function reasonAgainstIndex(array: readonly Json[], token: string): string | undefined {
  if (token === '-') return undefined
  if (!arrayIndex.test(token)) return `"${token}" is not the index of an array.`
  return Number(token) > array.length ? `The array has only ${array.length} elements.` : undefined
}

function partOf(value: Json, token: string): Json | undefined {
  if (isJsonArray(value)) return arrayIndex.test(token) ? value[Number(token)] : undefined
  return isJsonObject(value) ? ownField(value, token) : undefined
}
