import type { Upkeep, UpkeepWriter } from './upkeep.ts'
import type {
  AccountReader,
  AccountWriter,
  PassphraseReader,
  PassphraseWriter,
  TokenReader,
  TokenWriter,
} from './accounts.ts'
import type {
  ClientReader,
  ClientWriter,
  IssuerReader,
  IssuerWriter,
  SharedSecretReader,
  SharedSecretWriter,
} from './issuer.ts'
import type { AnnouncedFileReader, AnnouncedFileWriter } from './announced-files.ts'
import type { CommentReader, CommentWriter } from './review.ts'
import type { AuditReader, AuditWriter } from './audit.ts'
import type { AnswerReader, AnswerWriter } from './answers.ts'
import type {
  IntentReader,
  IntentWriter,
  UploadReader,
  UploadWriter,
  UsageReader,
  UsageWriter,
} from './uploads.ts'
import type { HistoryReader, HistoryWriter } from './history.ts'
import type { IdentifierReader, IdentifierWriter } from './identifiers.ts'
import type { InvitationReader, InvitationWriter, LinkReader, LinkWriter } from './sharing.ts'
import type { RowsSeal } from './rows-seal.ts'
import type { SharedLocks } from './shared-locks.ts'
import type { TrashReader, TrashWriter } from './trash.ts'
import type { TermReader, TermWriter } from './terms.ts'
import type { DepositReader, DepositWriter } from './deposits.ts'
import type { FileReader, FileWriter, BlobReader } from './files.ts'
import type { PidReader, PidWriter } from './pids.ts'
import type { RecordReader, RecordWriter } from './records.ts'

/** Committed rows, as they are when each question is asked. */
export interface Readers {
  readonly deposits: DepositReader
  readonly files: FileReader
  readonly blobs: BlobReader
  readonly records: RecordReader
  readonly pids: PidReader
  readonly accounts: AccountReader
  readonly tokens: TokenReader
  readonly passphrases: PassphraseReader
  readonly clients: ClientReader
  readonly issuer: IssuerReader
  readonly uploads: UploadReader
  readonly usage: UsageReader
  readonly answers: AnswerReader
  readonly sharedSecrets: SharedSecretReader
  readonly intents: IntentReader
  readonly identifiers: IdentifierReader
  readonly links: LinkReader
  readonly invitations: InvitationReader
  readonly audit: AuditReader
  readonly history: HistoryReader
  readonly trash: TrashReader
  readonly terms: TermReader
  readonly comments: CommentReader
  readonly announcedFiles: AnnouncedFileReader
}

/** Rows that are only read. */
export interface ReadRows extends AsyncDisposable {
  readonly read: Readers
}

/** Changes to rows. Exists only while {@link Database.write} runs; it reads its own changes. */
export interface UnitOfWork {
  readonly deposits: DepositWriter
  readonly files: FileWriter
  readonly records: RecordWriter
  readonly pids: PidWriter
  readonly accounts: AccountWriter
  readonly tokens: TokenWriter
  readonly upkeep: UpkeepWriter
  readonly passphrases: PassphraseWriter
  readonly clients: ClientWriter
  readonly issuer: IssuerWriter
  readonly uploads: UploadWriter
  readonly usage: UsageWriter
  readonly answers: AnswerWriter
  readonly sharedSecrets: SharedSecretWriter
  readonly intents: IntentWriter
  readonly identifiers: IdentifierWriter
  readonly links: LinkWriter
  readonly invitations: InvitationWriter
  readonly audit: AuditWriter
  readonly history: HistoryWriter
  readonly trash: TrashWriter
  readonly terms: TermWriter
  readonly comments: CommentWriter
  readonly announcedFiles: AnnouncedFileWriter
  /**
   * Runs `task` once the change is durable, before {@link Database.write} answers; never when it
   * rolls back. A task that fails is logged: the change stands.
   */
  readonly afterCommit: (task: () => Promise<void>) => void
  /**
   * Called before a unit decides upon rows beside those that {@link UnitOptions.isLocal} names: a
   * local unit ends here, and is run again as one that is not.
   */
  readonly requireWhole: () => void
}

/** How a unit of work may run beside others. */
export interface UnitOptions {
  /**
   * Set for a unit that decides upon nothing but the one deposit that it makes, or has locked
   * ({@link DepositWriter.lock}), with its files and uploads, the room of the owner
   * ({@link UsageWriter.hold}), and answers under a key.
   */
  readonly isLocal?: boolean
}

/** The rows of the service. */
export interface Database extends AsyncDisposable {
  readonly read: Readers
  readonly upkeep: Upkeep

  /**
   * Runs `work` as one unit: all of its changes or none, durable before the promise resolves.
   *
   * Units that wait together share a transaction and its sync, so nothing else is stored while
   * `work` runs: do not await the network, a blob or a timer inside it. A unit is retried if its
   * transaction fails through no fault of its own: change nothing but rows in it.
   *
   * @throws {DepositError} storage_full: there is no room
   * @throws {DepositError} storage_degraded: the store failed; reads go on, writes are refused from now on
   */
  readonly write: <Result>(
    work: (unit: UnitOfWork) => Promise<Result>,
    options?: UnitOptions,
  ) => Promise<Result>

  /** False once the store failed. */
  readonly isWritable: () => boolean

  /** True while a server that has the rows gives no answer at all: what asks it waits in vain. */
  readonly isSilent: () => boolean

  /** Undefined where other processes change the rows as well. */
  readonly seal?: RowsSeal

  /** True if other daemons may use the same rows; state that all of them share is kept there. */
  readonly isShared: boolean

  /**
   * Makes this daemon the one that does `work`, of all that share the rows, until the answer is
   * disposed of.
   *
   * @returns undefined while another daemon does it
   */
  readonly lead: (work: string) => Promise<AsyncDisposable | undefined>

  /** Undefined where no other daemon uses the rows. */
  readonly locks?: SharedLocks

  /**
   * Stands for what reads see now: another object as soon as they may see anything else. So what
   * was made of rows is good while this stays the same. Undefined where other processes change the
   * rows as well: there nothing may be kept.
   */
  readonly view: () => object | undefined
}
