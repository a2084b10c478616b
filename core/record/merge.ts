import { pieceSize, type Steps } from '../base/turns.ts'
import type { Conflict } from '../errors/errors.ts'
import {
  isJsonArray,
  isJsonObject,
  isSameJson,
  ownField,
  childPointer,
  type Json,
  type JsonObject,
} from '../base/json.ts'
import { mergeArrays, type Side, type ThreeWay } from './merge-arrays.ts'

/** The outcome of a merge: never both, never half of a document. */
export type MergeResult =
  | { readonly merged: JsonObject }
  | {
      readonly conflicts: readonly Conflict[]
      /** The document where what is in conflict stays as `ours` has it. */
      readonly keepingOurs: JsonObject
    }

/**
 * Brings together what two sides made of the same document.
 *
 * Objects merge field by field, arrays element by element ({@link mergeArrays}), everything else
 * as a whole. A change that only one side made is taken; the same change on both sides is taken
 * once; different changes of the same place are a conflict. Swapping the sides gives the same
 * document but for the order of fields, and the same conflicts with `ours` and `theirs` swapped.
 *
 * Large documents take seconds, so it is done in pieces. Recurses as deep as the documents are,
 * which the gate of all input limits.
 *
 * @see Specification, "States and transitions", publish after an edit; Contract §3.10
 */
export function* merge(base: JsonObject, ours: JsonObject, theirs: JsonObject): Steps<MergeResult> {
  const conflicts: Conflict[] = []
  const document = yield* mergeObjects({ at: '', base, ours, theirs }, conflicts)
  return conflicts.length > 0 ? { conflicts, keepingOurs: document } : { merged: document }
}

function* mergeValues(sides: ThreeWay, conflicts: Conflict[]): Steps<Side> {
  const { at, base, ours, theirs } = sides
  if (isSameJson(ours, theirs) || isSameJson(base, theirs)) return ours
  if (isSameJson(base, ours)) return theirs
  if (isJsonObject(ours) && isJsonObject(theirs) && (base === undefined || isJsonObject(base))) {
    return yield* mergeObjects({ at, base: base ?? {}, ours, theirs }, conflicts)
  }
  if (isJsonArray(ours) && isJsonArray(theirs) && (base === undefined || isJsonArray(base))) {
    return yield* mergeArrays({ at, base: base ?? [], ours, theirs }, mergeValues, conflicts)
  }
  conflicts.push(toConflict(sides))
  return ours
}

function* mergeObjects(sides: ThreeWay<JsonObject>, conflicts: Conflict[]): Steps<JsonObject> {
  const { at, base, ours, theirs } = sides
  const fields = new Set([...Object.keys(ours), ...Object.keys(theirs), ...Object.keys(base)])
  const merged: (readonly [string, Json])[] = []
  for (const [index, field] of [...fields].entries()) {
    if (index % pieceSize === pieceSize - 1) yield
    const place = {
      at: childPointer(at, field),
      base: ownField(base, field),
      ours: ownField(ours, field),
      theirs: ownField(theirs, field),
    }
    const value = yield* mergeValues(place, conflicts)
    if (value !== undefined) merged.push([field, value])
  }
  // Unlike assignment, this makes a field of every name, `__proto__` included.
  return Object.fromEntries(merged)
}

function toConflict({ at, base, ours, theirs }: ThreeWay): Conflict {
  return {
    field: at,
    message: conflictMessage(base, ours, theirs),
    ...(base === undefined ? {} : { base }),
    ...(ours === undefined ? {} : { ours }),
    ...(theirs === undefined ? {} : { theirs }),
  }
}

function conflictMessage(base: Side, ours: Side, theirs: Side): string {
  if (ours === undefined) return 'The draft removed what the record changed.'
  if (theirs === undefined) return 'The draft changed what the record removed.'
  if (base === undefined) return 'The draft and the record added different values.'
  return 'The draft and the record changed this differently.'
}
