import {
  isJsonArray,
  isJsonObject,
  ownField,
  type Json,
  type JsonObject,
} from '../../../../core/json/json.ts'

export { isJsonArray as isArray, isJsonObject as isObject, type Json, type JsonObject }

/** A field of its own, never one that every object inherits. */
export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? ownField(value, name) : undefined
}

/** True where both say the same; the order of fields says nothing. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isJsonArray(a) && isJsonArray(b)) {
    return a.length === b.length && a.every((element, index) => isEqual(element, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
}

/** The value without what says nothing: empty texts, objects and lists. */
export function pruned(value: Json | undefined): Json | undefined {
  if (value === '' || value === undefined) return undefined
  if (isJsonArray(value)) {
    const elements = value.map(pruned).filter((element) => element !== undefined)
    return elements.length > 0 ? elements : undefined
  }
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const kept = pruned(field)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}
