import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/**
 * Applies a JSON Merge Patch: fields that it names are replaced, those that are null in it removed.
 *
 * @see RFC 7396 §2
 */
export function mergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(document))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergeValue(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

function mergeValue(current: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  return mergePatch(isJsonObject(current) ? current : {}, patch)
}
