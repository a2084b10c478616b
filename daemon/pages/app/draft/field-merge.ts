import { fieldOf, isEqual, pruned, type Json, type JsonObject } from '../api/json.ts'

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
    base: fieldOf(base, field),
    mine: fieldOf(mine, field),
    theirs: fieldOf(theirs, field),
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

/** What makes `to` of `from`, field by field; empty where both say the same. @see RFC 6902 */
export function toPatch(from: JsonObject, to: JsonObject): readonly JsonObject[] {
  return fieldsOf(from, to).flatMap((field) => {
    const value = pruned(fieldOf(to, field))
    if (isSame(fieldOf(from, field), value)) return []
    const path = `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [value === undefined ? { op: 'remove', path } : { op: 'add', path, value }]
  })
}

/** True where only they changed it. What says the same stays as it was typed, empty places too. */
function isTheirs({ base, mine, theirs }: Omit<FieldConflict, 'field'>): boolean {
  return isSame(base, mine) && !isSame(mine, theirs)
}

/** Empty texts and lists say as much as no field at all. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return isEqual(pruned(a), pruned(b))
}

function fieldsOf(...documents: readonly JsonObject[]): readonly string[] {
  return [...new Set(documents.flatMap((document) => Object.keys(document)))]
}

function toDocument(fields: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  )
}
