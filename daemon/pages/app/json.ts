/** What JSON can say. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

export type JsonObject = { readonly [name: string]: Json }

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value)
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** A field of its own, never one that every object inherits. */
export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** True where both say the same; the order of fields says nothing. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isArray(a) && isArray(b)) {
    return a.length === b.length && a.every((element, index) => isEqual(element, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
}

/** The value without what says nothing: empty texts, objects and lists. */
export function pruned(value: Json | undefined): Json | undefined {
  if (value === '' || value === undefined) return undefined
  if (isArray(value)) {
    const elements = value.map(pruned).filter((element) => element !== undefined)
    return elements.length > 0 ? elements : undefined
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const kept = pruned(field)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}
