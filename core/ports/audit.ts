/** What somebody did, or was refused: who, from where, on what. It holds no secret. */
export interface AuditEntry {
  /** Id of a user, `owner` for the owner of the machine; absent for a visitor. */
  readonly who?: string
  /** Id of the personal token that was used, or the client of a sign-in. */
  readonly token?: string
  /** Address of the client, as far as trusted proxies say. */
  readonly from?: string
  /** Method and route, the operator's command, or what the issuer did. */
  readonly what: string
  /** The path, or what else it was about. */
  readonly on?: string
  readonly deposit?: string
  /** Revision of the deposit, or of the record that was corrected, before and after. */
  readonly was?: number
  readonly revision?: number
  /**
   * What was changed of a deposit or beside it: `record:VALUE`, `token:ID`, `user:ID`, `client:ID`,
   * `pid:VALUE`, `link:ID role=ROLE`; who has which role since, `user:ID role=ROLE was=ROLE`.
   */
  readonly object?: string
  /** Keys of the files that were stored, renamed, removed or brought back. */
  readonly files?: readonly string[]
  /** Status of the answer. */
  readonly status?: number
  /** Why it was refused or failed. */
  readonly failed?: string
  readonly request_id?: string
  /** How many refusals of this kind, or openings of the link, the entry stands for; absent for one. */
  readonly times?: number
}

/** An entry as it is kept. */
export interface KeptEntry extends AuditEntry {
  /** Ids rise with time. */
  readonly id: string
  /** ISO 8601, UTC. */
  readonly at: string
}

export interface AuditRequest {
  /** Any of these. */
  readonly who?: readonly string[]
  readonly deposit?: string
  /** ISO 8601, UTC: entries from then on. */
  readonly since?: string
  /** Id of an entry: those that are older. */
  readonly before?: string
  readonly limit: number
}

export interface AuditReader {
  /** Newest first. */
  readonly list: (request: AuditRequest) => Promise<readonly KeptEntry[]>
  readonly count: () => Promise<number>
  /** Ids of accounts that were merged, each with that of the account that it was merged into. */
  readonly merged: () => Promise<ReadonlyMap<string, string>>
}

export interface AuditWriter extends AuditReader {
  readonly add: (entries: readonly AuditEntry[]) => Promise<void>
  /** Removes what is older than a time (ISO 8601, UTC), so many entries at most; returns how many. */
  readonly removeBefore: (time: string, most: number) => Promise<number>
  /** Leaves of what a user did who they were by id alone: their addresses go. */
  readonly forget: (who: string) => Promise<void>
}
