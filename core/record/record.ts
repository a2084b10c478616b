import type { UserId } from '../access/caller.ts'
import type { BucketId } from '../files/file.ts'
import type { JsonObject } from '../base/json.ts'
import type { DepositId } from '../pid/deposit-pid.ts'

/** The place of publication of a deposit: `_deposit.type`, `_deposit.value`, `_deposit.revision_id`. */
export interface RecordRef {
  /** Type of the record's identifier (`recid`). */
  readonly type: string
  readonly value: string
  /** Revision of the record that the deposit's last publish made; 0 for the first. */
  readonly revision: number
}

/** Facts of the deposit that a record keeps, as of the last publish. */
export interface DepositDump {
  readonly id: DepositId
  readonly pidType: string
  readonly owners: readonly UserId[]
  readonly createdBy: UserId
  readonly base?: number
}

/**
 * A published document. Every publish and every correction makes a revision; none is ever changed.
 * Its files are those of the deposit's bucket, which is frozen from the first publish on.
 */
export interface PublishedRecord {
  readonly type: string
  readonly value: string
  /** 0 for the first publish. */
  readonly revision: number
  /** Path of the record's schema in the registry. */
  readonly schema: string | null
  /** The user's document: without `_deposit` and `$schema`. */
  readonly metadata: JsonObject
  readonly deposit: DepositDump
  readonly bucket: BucketId
  /** Value of the identifier that all versions have in common. */
  readonly concept: string
  /** Number of the version: 1 for the first. */
  readonly number: number
  /** Value of the version before it. */
  readonly predecessor?: string
  /** Whether a later version was published. */
  readonly superseded: boolean
  /** When the first revision was made. ISO 8601, UTC. */
  readonly created: string
  /**
   * When this revision was made, or when something that is told with it changed last: the version after
   * it, its DOI, a withdrawal.
   */
  readonly updated: string
  /** When this revision was made, where that is not `updated`. */
  readonly made?: string
}
