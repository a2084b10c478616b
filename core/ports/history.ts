import type { ChangeOperation, DocumentChange } from '../deposit/changes.ts'
import type { UserId } from '../access/caller.ts'
import type { DepositId } from '../pid/deposit-pid.ts'

/** A kept change of the document of a deposit. `$schema` is in its patches as a path of the registry. */
export interface HistoryEntry extends DocumentChange {
  readonly deposit: DepositId
  /** Revision of the deposit that the change led to. */
  readonly n: number
  /** Revision from which on the document was as it was before the change. */
  readonly since: number
  /** ISO 8601, UTC. */
  readonly at: string
  /** The user; `system` where an operator's command made the change. */
  readonly by: UserId | 'system'
  /** `update`, or the name of the action. */
  readonly action: string
  /** Of an undo: the revision whose document it brought back. */
  readonly to?: number
  /** Revision of the record that the deposit was last published as, after the change. */
  readonly published?: number
}

/** A change as it is stored: its patches are text of JSON, which is as large as the document. */
export interface StoredChange extends Omit<HistoryEntry, 'patch' | 'undo'> {
  readonly patch: string
  readonly undo: string
}

/** A change by its `n`, with the bytes of its patches. */
export interface MeasuredChange {
  readonly name: number
  readonly bytes: number
}

export interface HistoryReader {
  /** The changes of a deposit, newest first, by `n` and the bytes of their patches. */
  readonly list: (deposit: DepositId) => Promise<readonly MeasuredChange[]>
  /** Those of `found`, in their order, as many at a time as bytes allow. */
  readonly batchesOf: (
    deposit: DepositId,
    found: readonly MeasuredChange[],
  ) => AsyncIterable<readonly StoredChange[]>
  readonly latest: (deposit: DepositId) => Promise<HistoryEntry | undefined>
  /** The way back to the document at revision `n`: patches to apply one after another. */
  readonly wayBack: (
    deposit: DepositId,
    n: number,
  ) => Promise<readonly (readonly ChangeOperation[])[]>
  /** The revision from which on documents are known; undefined where nothing is kept. */
  readonly begin: (deposit: DepositId) => Promise<number | undefined>
  /** Bytes of patches of the deposits of an owner. */
  readonly bytesOf: (owner: UserId) => Promise<number>
}

export interface HistoryWriter extends HistoryReader {
  /**
   * Adds a change. The oldest of the deposit go where there are too many, or too large ones.
   *
   * @param entry its `since` counts where no change is kept before it
   * @returns bytes of its patches
   */
  readonly add: (entry: HistoryEntry) => Promise<number>
  readonly removeAll: (deposit: DepositId) => Promise<void>
  /** Removes what was changed before a time (ISO 8601, UTC), a bounded number; answers how many. */
  readonly removeBefore: (time: string) => Promise<number>
  /** Removes the oldest changes of the deposits of an owner, until `bytes` of patches are gone. */
  readonly giveUp: (owner: UserId, bytes: number) => Promise<void>
}
