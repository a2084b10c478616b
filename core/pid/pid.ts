/**
 * Statuses of a persistent identifier: `N` new, `K` reserved, `R` registered, `M` redirected to
 * another identifier, `D` deleted.
 */
export type PidStatus = 'N' | 'K' | 'R' | 'M' | 'D'

/** Names an identifier: its type (`depid`, `recid`) and value. */
export interface PidName {
  readonly type: string
  readonly value: string
}

/** @see Specification, "Persistent identifier of a deposit" */
export interface PersistentIdentifier extends PidName {
  readonly objectType: 'rec'
  /** Identifier of the row the identifier stands for. */
  readonly objectUuid: string
  readonly status: PidStatus
  /** Where a redirected (`M`) identifier leads. */
  readonly redirect?: PidName
}
