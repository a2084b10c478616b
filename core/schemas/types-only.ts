import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = ['items', 'additionalItems', 'additionalProperties', 'unevaluatedProperties']
const lists = ['items', 'prefixItems', 'allOf', 'anyOf', 'oneOf']
const maps = ['properties', 'patternProperties', 'definitions', '$defs']
const kept = ['$schema', '$id', '$anchor', '$ref', 'type', 'title']

/**
 * The rules of `schema` about types alone. A draft is checked by them: it may be incomplete and hold
 * a value that is only half typed.
 *
 * @see Contract §3.9
 */
export function typesOnly(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (kept.includes(keyword)) return [[keyword, value]]
      if (maps.includes(keyword) && isJsonObject(value)) return [[keyword, eachOf(value)]]
      if (single.includes(keyword) && isJsonObject(value)) return [[keyword, typesOnly(value)]]
      if (!lists.includes(keyword) || !isJsonArray(value)) return []
      // Branches that differ in more than types may now hold together.
      return [[keyword === 'oneOf' ? 'anyOf' : keyword, value.map(branch)]]
    }),
  )
}

function eachOf(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, branch(schema)]))
}

function branch(schema: Json): Json {
  return isJsonObject(schema) ? typesOnly(schema) : true
}
