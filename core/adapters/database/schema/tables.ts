import type {
  SharedSecretRow,
  AccountRow,
  PassphraseRow,
  ClientRow,
  IssuerEntryRow,
  TokenRow,
  InvitationRow,
  AnswerRow,
  UsageRow,
  MetadataUsageRow,
  AuditRow,
} from './account-tables.ts'
import type {
  PidRow,
  DepositRow,
  DepositPersonRow,
  LinkRow,
  CommentRow,
  RecordRevisionRow,
  NumberRow,
  VersionRow,
  HistoryRow,
  KeptCountRow,
} from './deposit-tables.ts'
import type {
  AnnouncedFileRow,
  BucketRow,
  BlobRow,
  FileRow,
  TrashedFileRow,
  FileVersionRow,
  UploadRow,
  IntentRow,
} from './file-tables.ts'
import type { IdentifierRow, IdentifierOutboxRow, IdentifierPauseRow } from './identifier-tables.ts'
import type { VocabularyLoadRow, TermRow, TermWordRow } from './vocabulary-tables.ts'

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

/** The database a migration runs on; most migrations are the same on both. */
export type Engine = 'sqlite' | 'postgres'
