import type { UserId } from '../access/caller.ts'
import type { BucketId } from '../files/file.ts'
import type { JsonObject } from '../base/json.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { DraftDeposit } from './deposit.ts'

interface NewDraft {
  readonly id: DepositId
  readonly pidType: string
  readonly bucket: BucketId
  readonly owner: UserId
  readonly concept: string
  readonly schema: string | null
  readonly metadata: JsonObject
  readonly now: string
}

/** A deposit at its creation: a draft at revision 0 that its creator owns. */
export function newDraft({
  id,
  pidType,
  bucket,
  owner,
  concept,
  schema,
  metadata,
  now,
}: NewDraft): DraftDeposit {
  return {
    status: 'draft',
    id,
    pidType,
    bucket,
    owners: [owner],
    createdBy: owner,
    concept,
    schema,
    metadata,
    revision: 0,
    indexed: true,
    created: now,
    updated: now,
  }
}
