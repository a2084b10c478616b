export interface SharedSecretRow {
  readonly name: string
  readonly value: string
}

export interface AccountRow {
  readonly id: string
  readonly email: string
  readonly admin: number
  readonly disabled: number
  readonly created: string
  readonly issuer: string | null
  readonly subject: string | null
  readonly quota: number | null
  readonly name: string | null
  readonly claimed_admin: number | null
  /** Roles beside `admin`, separated by spaces; null for none. */
  readonly roles: string | null
  /** The same from claims. */
  readonly claimed_roles: string | null
}

export interface PassphraseRow {
  readonly account_id: string
  readonly hashed: string
}

export interface ClientRow {
  readonly id: string
  readonly name: string
  readonly secret_hash: string | null
  readonly account_id: string | null
  /** Separated by spaces. */
  readonly scopes: string
  /** Separated by spaces. */
  readonly uses: string
  /** Separated by spaces. */
  readonly redirect_uris: string
  readonly created: string
}

export interface IssuerEntryRow {
  readonly kind: string
  readonly hash: string
  /** JSON object. */
  readonly payload: string
  readonly grant_id: string | null
  readonly user_code: string | null
  /** Seconds since 1970. */
  readonly consumed: number | null
  readonly expires: string
  /** Null where it is nobody's yet. */
  readonly account_id: string | null
}

export interface TokenRow {
  readonly id: string
  readonly hash: string
  readonly account_id: string
  readonly name: string
  /** Separated by spaces. */
  readonly scopes: string
  readonly deposit_id: string | null
  readonly created: string
  readonly expires: string | null
  /** The token that it was made with. */
  readonly parent_id: string | null
}

/** The id that the account of somebody who was invited will have. */
export interface InvitationRow {
  readonly email: string
  readonly account_id: string
  readonly created: string
  /** The user who made it; null for the operator, and for those of earlier versions. */
  readonly invited_by: string | null
}

/** The answer to a request with an idempotency key, replayed when the request is repeated. */
export interface AnswerRow {
  readonly account_id: string
  readonly key: string
  readonly request: string
  readonly answer: string
  readonly created: string
}

/** Bytes of a user's blobs, kept to avoid summing them. */
export interface UsageRow {
  readonly owner: string
  readonly byte_count: number
}

/** Bytes of metadata of a user, as triggers add them up; the sum of all slots. */
export interface MetadataUsageRow {
  readonly owner: string
  readonly slot: number
  readonly byte_count: number
}

/** What somebody did, or was refused. */
export interface AuditRow {
  /** Begins with the milliseconds since 1970, as twelve hexadecimal digits. */
  readonly id: string
  readonly at: string
  readonly who: string | null
  readonly token: string | null
  readonly from_address: string | null
  readonly what: string
  readonly path: string | null
  readonly deposit_id: string | null
  readonly was: number | null
  readonly revision: number | null
  readonly object: string | null
  /** JSON array of keys. */
  readonly files: string | null
  readonly status: number | null
  readonly failed: string | null
  readonly request_id: string | null
  readonly times: number | null
}
