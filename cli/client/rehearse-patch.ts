import type { Operation } from 'fast-json-patch'
import { problems } from '../../core/contract/problems.ts'
import { refuse } from './rehearsal.ts'

/** Why an operation cannot be applied, by the names of the library. */
const reasons: Readonly<Record<string, string>> = {
  OPERATION_FROM_UNRESOLVABLE: 'There is no value at "from".',
  OPERATION_NOT_AN_OBJECT: 'An operation is an object.',
  OPERATION_OP_INVALID: '"op" is one of add, remove, replace, move, copy and test.',
  OPERATION_PATH_CANNOT_ADD: 'There is no object or list to add it to.',
  OPERATION_PATH_ILLEGAL_ARRAY_INDEX: 'The list has no such place.',
  OPERATION_PATH_INVALID: '"path" is a JSON pointer such as "/title".',
  OPERATION_PATH_UNRESOLVABLE: 'There is no value at "path".',
  OPERATION_VALUE_OUT_OF_BOUNDS: 'The list has no such place.',
  OPERATION_VALUE_REQUIRED: '"value" is missing.',
  TEST_OPERATION_FAILED: 'The value at "path" is another one.',
}

/** An operation that fails and would have made something leaves later ones without it. */
const makers: ReadonlySet<unknown> = new Set(['add', 'move', 'copy'])

/**
 * Refuses a JSON Patch with an operation that cannot be applied to the metadata. All that fail are
 * named, as far as they do not build on one that fails.
 *
 * @throws {ApiFailure}
 */
export async function rehearsePatch(
  tried: string,
  patch: unknown,
  { path, metadata }: { readonly path: string; readonly metadata: object },
): Promise<void> {
  const errors = await faultsOf(patch, metadata)
  if (errors.length === 0) return
  const { message } = problems.invalid_patch
  throw refuse(tried, { code: 'invalid_patch', message, errors }, { path })
}

interface Fault {
  readonly field: string
  readonly message: string
}

async function faultsOf(patch: unknown, metadata: object): Promise<Fault[]> {
  if (!Array.isArray(patch)) return [{ field: '', message: 'A patch is an array of operations.' }]
  const { default: jsonPatch } = await import('fast-json-patch')
  const { applyOperation, JsonPatchError } = jsonPatch
  let document: unknown = structuredClone(metadata)
  const faults: Fault[] = []
  for (const [at, operation] of patch.entries() as Iterable<[number, Operation]>) {
    try {
      document = applyOperation(document, structuredClone(operation), true).newDocument
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const reason = error instanceof JsonPatchError ? reasons[error.name] : undefined
      faults.push({ field: `/${at}`, message: reason ?? 'It cannot be applied.' })
      const isLast = at === patch.length - 1
      if (!makers.has((operation as Partial<Operation> | null)?.op) || isLast) continue
      const rest = `The operations from here on may build on /${at}, and were not looked at.`
      return [...faults, { field: `/${at + 1}`, message: rest }]
    }
  }
  return faults
}
