import {
  isJsonArray,
  isJsonObject,
  ownField,
  type Json,
  type JsonObject,
} from '../../../../core/base/json.ts'

export { isJsonArray as isArray, isJsonObject as isObject, type Json, type JsonObject }

/** A field of its own, never one that every object inherits. */
export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? ownField(value, name) : undefined
}
