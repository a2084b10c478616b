import type { TSchema } from 'typebox'
import type { Caller } from '../access/caller.ts'
import type { ReviewRule } from '../access/review-rights.ts'
import type { BlobId } from '../files/file.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { RecordMinter } from '../pid/record-minters.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { RecordReader } from '../ports/records.ts'
import type { HistoryReader } from '../ports/history.ts'
import type { Provider } from '../ports/provider.ts'
import type { SchemaRegistry } from '../schemas/registry.ts'
import type { LatestMerge, MergeInUnit } from './published-record.ts'

/** The means of an action: rows, and nothing that has to be waited for. */
export interface ActionContext {
  readonly unit: UnitOfWork
  readonly caller: Caller
  /** The time of the action. ISO 8601, UTC. */
  readonly now: string
  readonly mintRecord: RecordMinter
  /** Of further identifiers, such as DOIs; empty where there are none. */
  readonly providers: readonly Provider[]
  /** Scheme, host and port of the service as its users see it. */
  readonly origin: () => string
  readonly schemas: SchemaRegistry
  readonly merge: MergeInUnit
  /** The body of the request, as `takes` of the action has it. */
  readonly input: unknown
  readonly review: ReviewRule
  /** Whether the caller has the right to act on another deposit, whatever their token is good for. */
  readonly mayActOn: (deposit: Deposit) => boolean
  /** True where the request said at which revision the deposit is to be. */
  readonly isRevisionExpected: boolean
  /** Milliseconds after its publication in which the owner may withdraw a record. */
  readonly withdrawalMs: number
  /** Brings the index level with a record, or takes it out, once the change is durable. */
  readonly indexRecord: (value: string) => void
  /** Removes bytes that no row names any more, once the change is durable. */
  readonly removeBytes: (blobs: readonly BlobId[]) => void
  /** Tells the history that the action brings back the document of an earlier revision. */
  readonly bringsBack: (revision: number) => void
  /** Tells the quota of an action that `copiesDocument` how many bytes it has copied as rows of files. */
  readonly copiesRows: (bytes: number) => void
  /** Saves the deposit whose edit the action closes: search finds it, and receivers get an event. */
  readonly saveClosed: (deposit: Deposit) => Promise<void>
}

/**
 * Something that is done to a deposit as a whole. Its name in the registry is its route, its link,
 * its entry in the API document and the `action` of its signal.
 *
 * @see Specification, "Deposit action"
 */
export interface DepositAction {
  /** Its effect, in the imperative: for the API document, help and pages. */
  readonly summary: string

  /** Set where record-update signals are sent around the action: on deposits in this status. */
  readonly updatesRecord?: Deposit['status']

  /** Set where the action may close an open edit: receivers get the event of a discard. */
  readonly closesEdit?: true

  /** Set where the action makes room: it may use the last of a full disk. */
  readonly freesRoom?: true

  /** Body of the request; absent where there is none. */
  readonly takes?: TSchema

  /** Set where the body can be left out: it is one with an empty object. */
  readonly canDoWithoutBody?: true

  /** The permission that it needs; `act` by default. */
  readonly needs?: 'submit' | 'judge'

  /** Set for an action that makes sense where the draft waits for reviewers: others are refused. */
  readonly onSubmitted?: true

  /** Of the answer; 201 by default. */
  readonly status?: 202

  /** Set for an action that makes sense where the record was withdrawn. */
  readonly onWithdrawn?: true

  /** Set where curators run it on what was published, as its owners do. */
  readonly isForCurators?: true

  /** Set where the document is stored once more: that counts in the quota of its owner. */
  readonly copiesDocument?: true

  /**
   * Set where it decides upon nothing but the deposit, which is locked, and what the draft has; or else
   * calls {@link UnitOfWork.requireWhole} before.
   */
  readonly isLocal?: true

  /** Set where the `message` of the body counts in the quota of the one who writes it. */
  readonly countsMessage?: true

  /** Set where it changes the document as an update does: that permission is asked for. */
  readonly updates?: true

  /** Works out before the unit of work begins what takes too long for one. */
  readonly prepare?: (records: RecordReader, deposit: Deposit) => Promise<LatestMerge | undefined>

  /**
   * Whether it takes tens of milliseconds on a deposit: such actions run one after another.
   *
   * @param asked with the deposit, where the same request has read it
   */
  readonly isLong?: (
    history: HistoryReader,
    asked: { readonly id: DepositId; readonly found?: Deposit | undefined },
  ) => Promise<boolean>

  /**
   * Answers the deposit as it is to be saved, or another one that the action itself has inserted.
   *
   * @throws {DepositError} invalid_action: the deposit is not in the status the action needs
   */
  readonly run: (deposit: Deposit, context: ActionContext) => Promise<Deposit>
}

/** The actions of a deposit by name. */
export type Actions = Readonly<Record<string, DepositAction>>
