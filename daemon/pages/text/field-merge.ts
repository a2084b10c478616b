import {
  isJsonArray,
  isJsonObject,
  isSameJson,
  ownField,
  type Json,
  type JsonObject,
} from '../../../core/base/json.ts'

/** A field that two sides made something different of. */
export interface FieldConflict {
  readonly field: string
  readonly base: Json | undefined
  readonly mine: Json | undefined
  readonly theirs: Json | undefined
}

export interface FieldMerge {
  /** Mine, where both changed the same field. */
  readonly merged: JsonObject
  readonly conflicts: readonly FieldConflict[]
}

/** Whose version of each field is taken. */
export type Choices = Readonly<Record<string, 'mine' | 'theirs'>>

/** Brings two versions of a document together, field by field: whole fields, so that a person can judge. */
export function mergeFields(base: JsonObject, mine: JsonObject, theirs: JsonObject): FieldMerge {
  const sides = fieldsOf(base, mine, theirs).map((field) => ({
    field,
    base: ownField(base, field),
    mine: ownField(mine, field),
    theirs: ownField(theirs, field),
  }))
  const conflicts = sides.filter(
    (side) =>
      !isSame(side.base, side.mine) &&
      !isSame(side.base, side.theirs) &&
      !isSame(side.mine, side.theirs),
  )
  const merged = sides.map(
    (side) => [side.field, isTheirs(side) ? side.theirs : side.mine] as const,
  )
  return { merged: toDocument(merged), conflicts }
}

/** The document with each conflict settled. */
export function settle({ merged, conflicts }: FieldMerge, choices: Choices): JsonObject {
  const taken = conflicts.filter(({ field }) => choices[field] === 'theirs')
  const settled = new Map<string, Json | undefined>(Object.entries(merged))
  for (const { field, theirs } of taken) settled.set(field, theirs)
  return toDocument([...settled])
}

/** The patch from `from` to `to`, field by field; empty if both are equal. @see RFC 6902 */
export function toPatch(from: JsonObject, to: JsonObject): readonly JsonObject[] {
  return fieldsOf(from, to).flatMap((field) => {
    const value = pruned(ownField(to, field))
    if (isSame(ownField(from, field), value)) return []
    const path = `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [value === undefined ? { op: 'remove', path } : { op: 'add', path, value }]
  })
}

/** True if only they changed it. Equal values stay as they were typed, including empty places. */
function isTheirs({ base, mine, theirs }: Omit<FieldConflict, 'field'>): boolean {
  return isSame(base, mine) && !isSame(mine, theirs)
}

/** Empty texts and lists say as much as no field at all. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return isSameJson(pruned(a), pruned(b))
}

function fieldsOf(...documents: readonly JsonObject[]): readonly string[] {
  return [...new Set(documents.flatMap((document) => Object.keys(document)))]
}

function toDocument(fields: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  )
}

/** The value without empty texts, objects and lists. */
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
