/** An identifier from a provider, such as a DOI. */
export interface IdentifierRow {
  readonly value: string
  readonly provider: string
  readonly scheme: string
  readonly url: string
  /** `record` or `concept`. */
  readonly object: string
  readonly subject: string
  readonly deposit_id: string
  readonly status: string
  readonly message: string | null
  readonly field: string | null
  readonly registered: string | null
  readonly updated: string
}

/** An identifier of which something else may be wanted than its provider has. */
export interface IdentifierOutboxRow {
  readonly value: string
  /** Raised whenever what is wanted may have changed. */
  readonly change: number
  readonly attempts: number
  /** 1 where an earlier attempt may still be carried out. */
  readonly unsure: number
  readonly due: string
  /** The worker that has it. */
  readonly holder: string | null
  readonly held_until: string | null
}

/** A provider that nothing is sent to. */
export interface IdentifierPauseRow {
  readonly provider: string
  readonly reason: string
  readonly message: string
  readonly since: string
  readonly until: string | null
}
