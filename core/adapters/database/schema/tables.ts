import type { Generated } from 'kysely'

/**
 * The rows as they are stored. Times are ISO 8601 text in UTC, documents are canonical JSON text
 * (RFC 8785) so that their digest can be checked, flags are 0 or 1.
 */
export interface Tables {
  readonly accounts: AccountRow
  readonly tokens: TokenRow
  readonly passphrases: PassphraseRow
  readonly clients: ClientRow
  readonly issuer_entries: IssuerEntryRow
  readonly pids: PidRow
  readonly deposits: DepositRow
  readonly buckets: BucketRow
  readonly blobs: BlobRow
  readonly files: FileRow
  readonly file_versions: FileVersionRow
  readonly record_revisions: RecordRevisionRow
  readonly versions: VersionRow
  readonly numbers: NumberRow
  readonly uploads: UploadRow
  readonly answers: AnswerRow
  readonly usage: UsageRow
  readonly shared_secrets: SharedSecretRow
  readonly intents: IntentRow
  readonly kept_counts: KeptCountRow
  readonly metadata_usage: MetadataUsageRow
  readonly identifiers: IdentifierRow
  readonly identifier_outbox: IdentifierOutboxRow
  readonly identifier_pauses: IdentifierPauseRow
  readonly deposit_people: DepositPersonRow
  readonly links: LinkRow
  readonly invitations: InvitationRow
  readonly audit: AuditRow
  readonly history: HistoryRow
  readonly trashed_files: TrashedFileRow
  readonly vocabulary_loads: VocabularyLoadRow
  readonly terms: TermRow
  readonly term_words: TermWordRow
  readonly review_comments: CommentRow
  readonly announced_files: AnnouncedFileRow
}

/** A file that a client said it would send to a draft. */
export interface AnnouncedFileRow {
  readonly deposit_id: string
  readonly key: string
  readonly at: string
}

/** Which load of a vocabulary is used. */
export interface VocabularyLoadRow {
  readonly vocabulary: string
  readonly load: number
  readonly terms: number
  readonly source: string
  readonly loaded: string
}

/** A term of a load; `body` is JSON. */
export interface TermRow {
  readonly vocabulary: string
  readonly load: number
  readonly id: string
  readonly title: string
  readonly body: string
}

/** A word that a term is found by. */
export interface TermWordRow {
  readonly vocabulary: string
  readonly load: number
  readonly word: string
  readonly id: string
}

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

/** The id that the account of somebody who was invited will have. */
export interface InvitationRow {
  readonly email: string
  readonly account_id: string
  readonly created: string
  /** The user who made it; null for the operator, and for those of earlier versions. */
  readonly invited_by: string | null
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

/** Count and bytes of the latest versions of a bucket's files, kept to avoid summing them. */
export interface BucketRow {
  readonly id: string
  readonly file_count: number
  readonly byte_count: number
}

export interface BlobRow {
  readonly id: string
  readonly size: number
  readonly sha256: string
  /** JSON object of further digests by algorithm. */
  readonly digests: string
  /** When the bytes were last read back; null for never since they were written. */
  readonly checked: string | null
  /** The damage found then; null if the bytes were good. */
  readonly damage: string | null
  /** Whose usage the bytes are. */
  readonly owner: string | null
  /** Null until an archive needed it. */
  readonly crc32: number | null
}

/** A file with its latest version. */
export interface FileRow {
  readonly id: string
  readonly bucket_id: string
  readonly key: string
  readonly position: number
  /** Set while a draft reorders a published bucket: the file's position in the record. */
  readonly published_position: number | null
  readonly version_id: string
  readonly blob_id: string
  readonly storage_class: string
  /** When the latest version was made. */
  readonly created: string
}

/** A file that was deleted from a draft and can be brought back; its older versions stay. */
export interface TrashedFileRow extends Omit<FileRow, 'published_position'> {
  readonly deleted: string
  readonly deleted_by: string
  /** 1 for a file that was announced, and not confirmed. */
  readonly unconfirmed: number
}

/** A version of a file that a later one has replaced. */
export interface FileVersionRow {
  readonly version_id: string
  readonly file_id: string
  /** Rises with each version of the file. */
  readonly ordinal: number
  readonly blob_id: string
  readonly storage_class: string
  readonly created: string
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

/** A file that arrives in pieces; its id is that of the blob it becomes. */
export interface UploadRow {
  readonly id: string
  readonly deposit_id: string
  readonly owner: string
  readonly key: string
  readonly size: number
  readonly replaces: number
  readonly checksum: string | null
  /** JSON object with the client's information about the file. */
  readonly metadata: string
  /** 1 where the length is not known yet; `size` is what was announced so far. */
  readonly length_deferred: number | null
  /** `partial`, or the ids of the parts that it was made of, with spaces between. */
  readonly concat: string | null
  readonly created: string
  readonly finished: string | null
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

/** A blob that is on its way to the store, or was when something died. */
export interface IntentRow {
  readonly blob_id: string
  readonly renewed: string
  /** 1 once it is to be removed; it can no longer be finished. */
  readonly given_up: number
}

/** Bytes of metadata of a user, as triggers add them up; the sum of all slots. */
export interface MetadataUsageRow {
  readonly owner: string
  readonly slot: number
  readonly byte_count: number
}

/** A count kept by triggers in SQLite: of shown deposits of a status, or of records. */
export interface KeptCountRow {
  readonly kind: string
  readonly count: number
}

/** The database a migration runs on; most migrations are the same on both. */
export type Engine = 'sqlite' | 'postgres'

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
