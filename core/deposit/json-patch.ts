import { isJsonArray, isJsonObject, ownField, type Json, type JsonObject } from '../json/json.ts'
import { jsonSize } from '../json/canonical.ts'
import { invalidPatch, parseOperation } from './patch-operation.ts'
import { PatchedDocument, type PatchLimits } from './patched-document.ts'

/** Most operations a patch may have. */
export const maxOperations = 100

/** What a deposit's document may grow to. */
export const patchLimits: PatchLimits = { maxSize: 1_048_576, maxDepth: 64 }

/** How a patch is written: as operations (RFC 6902), or as the fields that change (RFC 7396). */
export type PatchForm = 'operations' | 'merge'

/**
 * Applies a patch to the document of a deposit: all of it or, when it throws, nothing.
 *
 * `_deposit` may be tested and copied from but not changed: an operation that would is refused, and
 * one that replaces the whole document keeps it, as does a merge.
 *
 * @throws {DepositError} invalid_patch: with the position of the faulty operation
 * @see Specification, "Deposit", rule 1
 */
export function patchDocument(
  document: JsonObject,
  patch: Json,
  form: PatchForm = 'operations',
): JsonObject {
  const patched =
    form === 'merge' ? applyMerge(document, patch) : applyPatch(document, patch, ['_deposit'])
  if (!isJsonObject(patched)) throw invalidPatch(null, 'A deposit must stay an object.')
  const { _deposit, ...fields } = patched
  const kept = ownField(document, '_deposit')
  return kept === undefined ? fields : { ...fields, _deposit: kept }
}

/**
 * Applies a JSON Patch to any JSON value, and leaves that value as it is.
 *
 * @param reserved fields of the root that no operation may change
 * @throws {DepositError} invalid_patch: with the position of the faulty operation
 */
export function applyPatch(document: Json, patch: Json, reserved: readonly string[] = []): Json {
  const operations = parsePatch(patch, reserved)
  const patched = new PatchedDocument(document, patchLimits)
  for (const operation of operations) patched.apply(operation)
  return requireSize(patched.value)
}

function applyMerge(document: JsonObject, patch: Json): Json {
  if (!isJsonObject(patch)) throw invalidPatch(null, 'A merge patch is an object.')
  return requireSize(mergePatch(document, patch))
}

function requireSize(document: Json): Json {
  if (jsonSize(document) <= patchLimits.maxSize) return document
  throw invalidPatch(null, `The document would pass ${patchLimits.maxSize} bytes.`)
}

function parsePatch(patch: Json, reserved: readonly string[]) {
  if (!isJsonArray(patch)) throw invalidPatch(null, 'A patch is an array of operations.')
  if (patch.length > maxOperations) {
    throw invalidPatch(maxOperations, `A patch has at most ${maxOperations} operations.`)
  }
  // A copy, because a value that one operation adds may be changed by the next.
  return structuredClone(patch).map((operation, index) =>
    parseOperation(operation, index, reserved),
  )
}

/**
 * Applies a JSON Merge Patch: fields that it names are replaced, those that are null in it removed.
 *
 * @see RFC 7396 §2
 */
function mergePatch(document: JsonObject, patch: JsonObject): JsonObject {
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
