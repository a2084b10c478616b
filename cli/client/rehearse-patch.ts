import { isJsonArray, isJsonObject, type Json } from '../../core/base/json.ts'
import { PatchedDocument, PatchFault, readOperation } from '../../core/contract/json-patch.ts'
import { problems } from '../../core/contract/problems.ts'
import { refuse } from './rehearsal.ts'

/** An operation that fails and would have made something leaves later ones without it. */
const makers: ReadonlySet<unknown> = new Set(['add', 'move', 'copy'])

/**
 * Refuses a JSON Patch with an operation that the service could not apply to the metadata. All that
 * fail are named, as far as they do not build on one that fails.
 *
 * @throws {ApiFailure}
 */
export function rehearsePatch(
  tried: string,
  patch: unknown,
  { path, metadata }: { readonly path: string; readonly metadata: object },
): void {
  // As they are sent.
  const [sent, document] = JSON.parse(JSON.stringify([patch, metadata])) as [Json, Json]
  const errors = faultsOf(sent, document)
  if (errors.length === 0) return
  const { message } = problems.invalid_patch
  throw refuse(tried, { code: 'invalid_patch', message, errors }, { path })
}

interface Fault {
  readonly field: string
  readonly message: string
}

function faultsOf(patch: Json, metadata: Json): Fault[] {
  if (!isJsonArray(patch)) return [{ field: '', message: 'A patch is an array of operations.' }]
  const document = new PatchedDocument(metadata)
  const faults: Fault[] = []
  for (const [at, operation] of patch.entries()) {
    try {
      document.apply(readOperation(operation, ['_deposit']))
    } catch (error) {
      if (!(error instanceof PatchFault)) throw error
      faults.push({ field: `/${at}`, message: error.message })
      const isLast = at === patch.length - 1
      if (!isJsonObject(operation) || !makers.has(operation['op']) || isLast) continue
      const rest = `The operations from here on may build on /${at}, and were not looked at.`
      return [...faults, { field: `/${at + 1}`, message: rest }]
    }
  }
  return faults
}
