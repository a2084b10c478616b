import type { Caller } from '../access/caller.ts'
import { findLatest } from '../actions/published-record.ts'
import { mergeWithLatest, recordSchema } from '../actions/publish.ts'
import type { ProblemCode } from '../contract/problems.ts'
import type { Deposit, DraftDeposit } from '../deposit/deposit.ts'
import { requireDraft } from '../deposit/transitions.ts'
import {
  InvalidAction,
  MergeConflict,
  UploadsUnfinished,
  type Conflict,
  type Fault,
} from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import { findFaults, findWarnings } from '../schemas/validate.ts'
import { authorize } from './authorize.ts'
import type { Parts } from './parts.ts'

/** One reason why a deposit cannot be published, under the code that publishing would fail with. */
export type Obstacle = { readonly code: ProblemCode } & (Fault | Conflict)

/** What publishing a deposit would meet. */
export interface Rehearsal {
  /** Everything that stands in the way; nothing where the deposit can be published. */
  readonly errors: readonly Obstacle[]
  /** What the record should have and lacks. */
  readonly warnings: readonly Fault[]
}

/**
 * Finds all that stands in the way of publishing at once, and changes nothing. Whoever may read the
 * deposit may ask.
 *
 * @throws what {@link authorize} throws
 * @see Contract §3.9
 */
export async function rehearsePublish(
  parts: Parts,
  caller: Caller,
  id: DepositId,
): Promise<Rehearsal> {
  const deposit = await authorize(parts, caller, id, 'read')
  try {
    requireDraft(deposit, 'publish')
  } catch (error) {
    if (!(error instanceof InvalidAction)) throw error
    return { errors: obstacles('invalid_action', error.faults), warnings: [] }
  }
  const { metadata, conflicts } = await tryMerge(parts, deposit)
  const schema = recordSchema(deposit, parts.schemas)
  return {
    errors: [
      ...obstacles('merge_conflict', conflicts),
      ...obstacles('invalid_document', findFaults(parts.schemas, schema, metadata)),
      ...obstacles('invalid_action', await findUnfinished(parts, deposit)),
    ],
    warnings: findWarnings(parts.schemas, schema, metadata),
  }
}

function obstacles(code: ProblemCode, faults: readonly (Fault | Conflict)[]): readonly Obstacle[] {
  return faults.map((fault) => ({ code, ...fault }))
}

/** The document that would be published: the draft's own where it cannot be merged. */
async function tryMerge(
  { database }: Parts,
  draft: DraftDeposit,
): Promise<{ readonly metadata: JsonObject; readonly conflicts: readonly Conflict[] }> {
  const { records } = database.read
  const unchanged = { metadata: draft.metadata, conflicts: [] }
  if (!draft.record) return unchanged
  try {
    const latest = await findLatest({ records }, draft.record)
    const metadata = await mergeWithLatest(records, draft, draft.record, latest)
    return { metadata, conflicts: [] }
  } catch (error) {
    if (error instanceof MergeConflict) return { ...unchanged, conflicts: error.faults }
    throw error
  }
}

async function findUnfinished({ database }: Parts, { id }: Deposit): Promise<readonly Fault[]> {
  return new UploadsUnfinished(await database.read.uploads.unfinished(id)).faults
}
