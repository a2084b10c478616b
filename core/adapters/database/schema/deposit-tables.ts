import type { Generated } from 'kysely'

export interface PidRow {
  readonly pid_type: string
  readonly pid_value: string
  readonly object_type: string
  readonly object_uuid: string
  readonly status: string
  readonly redirect_type: string | null
  readonly redirect_value: string | null
}

export interface DepositRow {
  readonly id: string
  readonly pid_type: string
  readonly bucket_id: string
  readonly status: string
  /** The first owner, by whom listings are filtered. */
  readonly owner: string
  /** JSON array of all owners. */
  readonly owners: string
  readonly created_by: string
  readonly schema_path: string | null
  readonly document: string
  /** SHA-256 of `document`. */
  readonly digest: string
  readonly revision: number
  readonly base_revision: number | null
  readonly record_type: string | null
  readonly record_value: string | null
  readonly record_revision: number | null
  readonly predecessor: string | null
  readonly indexed: number
  /** Since when the deposit is out of sight: deleted but kept, or redirected. */
  readonly hidden: string | null
  /** JSON object; null where the record was not withdrawn. */
  readonly withdrawal: string | null
  /** JSON array of everybody with a role, owners first; null while the owners are all. */
  readonly people: string | null
  /** JSON object: to whom it is offered. */
  readonly offer: string | null
  /** JSON object: where its review stands; null where there is none. */
  readonly review: string | null
  /** Since when the draft waits for reviewers: ISO 8601, UTC. */
  readonly submitted: string | null
  /** JSON array of users who changed the draft, beside its creator; null where there are none. */
  readonly makers: string | null
  readonly created: string
  readonly updated: string
}

/** Somebody who finds a deposit beside its first owner. Only of deposits that are shown. */
export interface DepositPersonRow {
  readonly user_id: string
  readonly deposit_id: string
  readonly pid_type: string
  readonly status: string
  readonly updated: string
}

export interface LinkRow {
  readonly id: string
  readonly deposit_id: string
  readonly hash: string
  readonly role: string
  readonly label: string
  readonly anonymous: number
  readonly created_by: string
  readonly created: string
  readonly expires: string
  readonly revoked: string | null
}

/** A comment on a deposit, or a step of its review. */
export interface CommentRow {
  /** Begins with the time. */
  readonly id: string
  readonly deposit_id: string
  readonly at: string
  readonly account_id: string
  readonly text: string
  /** Null for a comment. */
  readonly action: string | null
  readonly revision: number
}

export interface RecordRevisionRow {
  readonly pid_type: string
  readonly pid_value: string
  readonly revision: number
  /** 1 for the last revision of each record alone. */
  readonly latest: number
  readonly bucket_id: string
  readonly schema_path: string | null
  readonly document: string
  /** SHA-256 of `document`. */
  readonly digest: string
  /** JSON object: the dump of the deposit. */
  readonly deposit: string
  readonly predecessor: string | null
  readonly created: string
  readonly updated: string
  /** 1 once the manifest of this revision lies beside the database. */
  readonly manifested: number
  /** 1 where a later version of the record's concept was published. */
  readonly superseded: number
  /** When the revision was made, where that is not `updated`. */
  readonly made: string | null
}

/** The number of a deposit, also of one that was deleted. */
export interface NumberRow {
  readonly number: Generated<number>
  readonly deposit_id: string
}

/** Which version of which concept a deposit is. */
export interface VersionRow {
  readonly deposit_id: string
  /** Value of its identifier. */
  readonly concept: string
  /** 1 for the first that was published; null for a draft that never was. */
  readonly number: number | null
  /** Value of the deposit's record. */
  readonly record: string | null
}

/** A change of the document of a deposit. */
export interface HistoryRow {
  readonly deposit_id: string
  /** Revision of the deposit that it led to. */
  readonly n: number
  /** Rises by one with each change of the deposit that is kept. */
  readonly ordinal: number
  /** Bytes of patches up to this change. */
  readonly total: number
  /** Revision from which on the document was as before the change. */
  readonly since: number
  readonly at: string
  readonly made_by: string
  readonly action: string
  readonly undone_to: number | null
  readonly record_revision: number | null
  /** JSON Patch from the document before. */
  readonly patch: string
  /** JSON Patch back to it. */
  readonly undo: string
}

/** A count kept by triggers in SQLite: of shown deposits of a status, or of records. */
export interface KeptCountRow {
  readonly kind: string
  readonly count: number
}
