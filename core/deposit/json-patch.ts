import {
  countParts,
  isJsonArray,
  isJsonObject,
  jsonSize,
  ownField,
  type Json,
  type JsonObject,
} from '../base/json.ts'
import {
  maxOperations,
  PatchedDocument,
  PatchFault,
  patchLimits,
  readOperation,
} from '../contract/json-patch.ts'
import { problem, type DepositError } from '../errors/errors.ts'

/** The format of a patch: JSON Patch (RFC 6902), or JSON Merge Patch (RFC 7396). */
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
  if (!isJsonArray(patch)) throw invalidPatch(null, 'A patch is an array of operations.')
  if (patch.length > maxOperations) {
    throw invalidPatch(maxOperations, `A patch has at most ${maxOperations} operations.`)
  }
  const operations = patch.map((operation, index) =>
    named(index, () => readOperation(operation, reserved)),
  )
  const patched = new PatchedDocument(document)
  for (const [index, operation] of operations.entries())
    named(index, () => patched.apply(operation))
  return requireSize(document, patched.value)
}

/** Names the operation that is at fault by its position in the patch. */
function named<T>(index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof PatchFault ? invalidPatch(index, error.message) : error
  }
}

/** @param operation its position in the patch; null for a fault of the patch as a whole */
function invalidPatch(operation: number | null, reason: string): DepositError {
  return problem('invalid_patch', { operation, reason })
}

function applyMerge(document: JsonObject, patch: Json): Json {
  if (!isJsonObject(patch)) throw invalidPatch(null, 'A merge patch is an object.')
  return requireSize(document, mergePatch(document, patch))
}

/** A document that was stored with more objects and arrays than one may have now may lose some. */
function requireSize(before: Json, after: Json): Json {
  const { maxSize, maxParts } = patchLimits
  if (jsonSize(after) > maxSize)
    throw invalidPatch(null, `The document would pass ${maxSize} bytes.`)
  const parts = countParts(after)
  if (parts <= maxParts || parts < countParts(before)) return after
  throw invalidPatch(null, `The document would have more than ${maxParts} objects and arrays.`)
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
