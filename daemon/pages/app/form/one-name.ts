import { isArray, isObject, type JsonObject } from '../api/json.ts'

const lists = ['creators', 'contributors'] as const

/**
 * The form asks for one name of a person. Parts of an earlier name, which a document may have from
 * elsewhere, go when that name is changed.
 */
export function withOneName(before: JsonObject, after: JsonObject): JsonObject {
  const changed = lists.flatMap((list) => {
    const [old, people] = [before[list], after[list]]
    if (!isArray(people)) return []
    const known = isArray(old) ? old.filter(isObject) : []
    const next = people.map((person) => {
      if (!isObject(person)) return person
      const { given_name: given, family_name: family, ...rest } = person
      if (given === undefined && family === undefined) return person
      const isSame = known.some(
        (each) =>
          each['name'] === person['name'] &&
          each['given_name'] === given &&
          each['family_name'] === family,
      )
      return isSame ? person : rest
    })
    return [[list, next] as const]
  })
  return { ...after, ...Object.fromEntries(changed) }
}
