import { reasonInWords } from '../contract/defaults.ts'
import { sayAccess, type FileAccess } from '../contract/file-access.ts'
import { problems, type ProblemCode } from '../contract/problems.ts'
import type { ToldWithdrawal } from '../contract/withdrawal.ts'
import { refusals, type Refusal } from '../contract/refusals.ts'

/** One fault of an input: a JSON pointer or the name of a parameter, and what is wrong with it. */
export interface Fault {
  readonly field: string
  readonly message: string
  /** Actions that lead on, where an action does. */
  readonly actions?: readonly string[]
  /** The deposit they are of, where the address of the request does not name it. */
  readonly deposit?: string
  /** Characters from the start of the text; absent where it is not known. */
  readonly position?: number
  /** Of the service, where the request was for another host. */
  readonly address?: string
  /** The unfinished upload that it is about. */
  readonly upload?: string
  /** Another file has the name of the upload: it cannot become one. */
  readonly name_taken?: true
}

/** One place where the draft and the record changed differently since the draft began. */
export interface Conflict extends Fault {
  /** Absent where the side has no value at this place. */
  readonly base?: unknown
  readonly ours?: unknown
  readonly theirs?: unknown
}

/** The text of a problem, where the line of the table does not say enough. */
interface Words {
  readonly message?: string
  readonly faults?: readonly Fault[]
}

interface InField {
  readonly field: string
  readonly reason: string
}

/** An operation that the status of the deposit refuses, and the actions that lead on. */
interface RefusedOperation extends Pick<Fault, 'actions' | 'deposit'> {
  readonly operation: string
  /** Why it is not possible, and what to do. */
  readonly reason: string
}

interface UnfinishedUploads {
  readonly uploads: readonly {
    readonly id: string
    readonly key: string
    /** A file has its key, and it does not replace files. */
    readonly isTaken?: boolean
  }[]
}

/** Files that the program which sent them has not confirmed. */
interface UnconfirmedFiles {
  readonly unconfirmed: readonly string[]
}

/** Details of the problems that have more than {@link Words}. */
interface OwnDetails {
  moved: { readonly type: string; readonly value: string }
  newest_version: { readonly value: string }
  /** `value` of the record. */
  record_withdrawn: { readonly value: string; readonly withdrawal: ToldWithdrawal }
  malformed_request: InField | Required<Pick<Words, 'message'>>
  /** `position` is left out where it is not known. */
  malformed_json: InField & { readonly position?: number | undefined }
  unknown_schema: { readonly reason: string }
  /** `operation` is its position in the patch; null for a fault of the patch as a whole. */
  invalid_patch: { readonly operation: number | null; readonly reason: string }
  /** `position` counts characters from the start of the query. */
  invalid_query: { readonly reason: string; readonly position: number }
  invalid_paging: InField
  wrong_file: InField
  /** `next` says what to do, where the caller does not know. */
  file_already_exists: { readonly key: string; readonly next?: string }
  /** Digests as `algorithm:hex`; `left` says what became of the bytes. */
  checksum_mismatch: {
    readonly given: string
    readonly computed: string
    readonly left?: string | undefined
  }
  insufficient_scope: { readonly scope: string }
  invalid_action: RefusedOperation | UnfinishedUploads | UnconfirmedFiles
  files_restricted: Omit<FileAccess, 'files'>
  files_frozen: { readonly operation: string; readonly deposit: string }
  method_not_allowed: { readonly method: string; readonly allowed: string }
  not_acceptable: { readonly offers: readonly string[] }
  merge_conflict: { readonly conflicts: readonly Conflict[] }
  stale_revision: { readonly current: number } | Required<Pick<Words, 'message'>>
  /** `limit` in bytes. */
  file_too_large: { readonly limit: number } | Required<Pick<Words, 'message'>>
  /** `size` in bytes. */
  range_not_satisfiable: { readonly size: number }
  /** `retryAfter` in seconds. */
  too_many_requests: { readonly message: string; readonly retryAfter: number }
  quota_exceeded: (Words & Required<Pick<Words, 'message'>>) | TooMany
  storage_unavailable: Pick<Words, 'message'> & {
    /** The store that does not answer: the database where it is absent. */
    readonly store?: 'files'
    /** The change may have been made: only its author can tell. */
    readonly isOutcomeUnknown?: boolean
  }
}

interface TooMany {
  /** What has so many: a deposit by default. */
  readonly per?: string
  readonly limit: number
  readonly of: string
  readonly next: string
}

type Details = {
  readonly [Code in ProblemCode]: Code extends keyof OwnDetails ? OwnDetails[Code] : Words
}

/** Codes that can be given without details. */
type Plain = {
  [Code in ProblemCode]: Partial<Details[Code]> extends Details[Code] ? Code : never
}[ProblemCode]

interface Cause {
  readonly cause?: unknown
}

type Phrases = {
  readonly [Code in ProblemCode]?: (details: Details[Code]) => Words
}

const inField = ({ field, reason }: InField): Words => ({ faults: [{ field, message: reason }] })

/** Words made of details. Where there is none, the details are the words. */
const phrases: Phrases = {
  moved: ({ type, value }) => ({
    message: `${problems.moved.message} It is now ${type} ${value}.`,
  }),
  record_withdrawn: ({ withdrawal: { at, reason } }) => ({
    message: `The record was withdrawn on ${at.slice(0, 10)} (${reasonInWords[reason]}).`,
  }),
  malformed_request: (details) => ('field' in details ? inField(details) : details),
  malformed_json({ reason, field, position }) {
    const where = position === undefined ? '' : ` (at character ${position})`
    return {
      message: `${problems.malformed_json.message.replace(/\.$/, '')}: ${reason}${where}.`,
      faults: [{ field, message: reason, ...(position === undefined ? {} : { position }) }],
    }
  },
  unknown_schema: ({ reason }) => inField({ field: '/$schema', reason }),
  invalid_patch: ({ operation, reason }) =>
    inField({ field: operation === null ? '' : `/${operation}`, reason }),
  invalid_query: ({ reason, position }) => ({
    message: `${reason} (at character ${position} of the query)`,
    faults: [{ field: 'q', message: reason, position }],
  }),
  invalid_paging: inField,
  wrong_file: inField,
  file_already_exists: ({ key, next }) => {
    const reason = `The deposit already has a file named "${key}".`
    return {
      ...inField({ field: 'name', reason }),
      ...(next !== undefined && { message: `${reason} ${next}` }),
    }
  },
  checksum_mismatch: ({ given, computed, left = 'Nothing was kept.' }) => ({
    message: `The bytes have ${computed}, but ${given} was given. ${left}`,
  }),
  insufficient_scope: ({ scope }) => ({
    message: `This needs the scope ${scope}, which the access token lacks.`,
  }),
  invalid_action(details) {
    if ('uploads' in details) return { faults: details.uploads.map(unfinished) }
    if ('unconfirmed' in details) return { faults: details.unconfirmed.map(unconfirmed) }
    const { operation, reason, ...more } = details
    return { faults: [{ field: operation, message: reason, ...more }] }
  },
  files_restricted: ({ until, reason }) => ({
    message: `The files of this record ${sayAccess({ until })}.`,
    faults: [
      ...(until === undefined
        ? []
        : [{ field: '/access/until', message: `They are closed until ${until}, 00:00 UTC.` }]),
      ...(reason === undefined ? [] : [{ field: '/access/reason', message: reason }]),
    ],
  }),
  files_frozen({ operation, deposit }) {
    const { message, actions } = refusals.files_frozen
    return { message, faults: [{ field: operation, message, actions, deposit }] }
  },
  method_not_allowed: ({ method, allowed }) => ({
    message: `${method} is not allowed here; these are: ${allowed}.`,
  }),
  not_acceptable: ({ offers }) => ({
    message: `This can be answered as ${offers.join(' or ')}.`,
  }),
  merge_conflict: ({ conflicts }) => ({ faults: conflicts }),
  stale_revision: (details) =>
    'current' in details
      ? {
          message: `The deposit has changed since it was read: its revision is now "${details.current}".`,
        }
      : details,
  file_too_large: (details) =>
    'limit' in details
      ? { message: `The file is larger than the limit of ${details.limit} bytes.` }
      : details,
  range_not_satisfiable: ({ size }) => ({ message: `The file has ${size} bytes.` }),
  quota_exceeded: (details) =>
    'limit' in details
      ? {
          message: `${details.per ?? 'A deposit'} may have ${details.limit} ${details.of} and no more. ${details.next}`,
        }
      : details,
  upload_checksum_mismatch: () => ({
    message: `${problems.upload_checksum_mismatch.message} Send them again from the same offset.`,
  }),
  storage_unavailable: ({ store, message }) => {
    const files = 'The files cannot be reached now; try again soon.'
    return {
      message: message ?? (store === 'files' ? files : problems.storage_unavailable.message),
    }
  },
}

function unfinished({ id, key, isTaken }: UnfinishedUploads['uploads'][number]): Fault {
  const named = `The upload ${id} of "${key}" is not finished`
  if (isTaken)
    return {
      field: key,
      message: `${named}, and there is a file of that name already: delete the upload first.`,
      upload: id,
      name_taken: true,
    }
  return {
    field: key,
    message: `${named}: finish it or delete it first. If all its bytes have arrived, HEAD of its address finishes it.`,
    upload: id,
  }
}

function unconfirmed(key: string): Fault {
  return {
    field: key,
    message: `The program that sent "${key}" has not confirmed that all of it is there: let it do so, or delete the file.`,
  }
}

/** Every error that the core raises on purpose; see {@link problem}. Anything else is a bug. */
export class DepositError<Code extends ProblemCode = ProblemCode> extends Error {
  readonly code: Code
  /** Every fault at once where there can be several; sent to the client as `errors`. */
  readonly faults: readonly Fault[]
  readonly #details: Details[Code]

  constructor(code: Code, details: Details[Code] & Cause) {
    const phrase: ((details: Details[Code]) => Words) | undefined = phrases[code]
    const words: Words = phrase ? phrase(details) : (details as Words)
    super(words.message ?? problems[code].message, 'cause' in details ? details : {})
    this.code = code
    this.faults = words.faults ?? []
    this.#details = details
  }

  override get name(): string {
    return this.constructor.name
  }

  get details(): Details[Code] {
    return this.#details
  }
}

/** A problem of the table in `core/contract/problems.ts`. */
export function problem<Code extends Plain>(
  code: Code,
  details?: Details[Code] & Cause,
): DepositError<Code>
export function problem<Code extends ProblemCode>(
  code: Code,
  details: Details[Code] & Cause,
): DepositError<Code>
export function problem(
  code: ProblemCode,
  details: Details[ProblemCode] & Cause = {},
): DepositError {
  const kind = thrownByOperators.get(code) ?? DepositError
  const made: unknown = Reflect.construct(DepositError, [code, details], kind)
  return made as DepositError
}

/** A fault of the input in one place: a JSON pointer, or the name of a parameter, header or part. */
export function wrongField<Code extends 'malformed_request' | 'invalid_paging' | 'wrong_file'>(
  code: Code,
  field: string,
  reason: string,
): DepositError<Code> {
  return new DepositError<Code>(code, { field, reason })
}

/** Whether it is a problem of the table; with `codes`, whether it is one of these. */
export function isProblem<Code extends ProblemCode = ProblemCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is DepositError<Code> {
  if (!(error instanceof DepositError)) return false
  return codes.length === 0 || codes.some((code) => code === error.code)
}

/** The store of files does not answer now, or refuses us; nothing of the change was kept. */
export function areFilesAway(error: unknown): error is DepositError<'storage_unavailable'> {
  return isProblem(error, 'storage_unavailable') && error.details.store === 'files'
}

/** The status of the deposit refuses `operation`. */
export function refused(
  operation: string,
  refusal: Refusal,
  deposit?: string,
): DepositError<'invalid_action'> {
  const { message: reason, actions } = refusals[refusal]
  return problem('invalid_action', { operation, reason, actions, ...(deposit && { deposit }) })
}

// The three that a `deposit.config.ts` may throw, and catch: `problem` makes them too.

export class PermissionDenied extends DepositError<'permission_denied'> {
  constructor(message: string = problems.permission_denied.message) {
    super('permission_denied', { message })
  }
}

/** The operation is not possible in the status the deposit has. */
export class InvalidAction extends DepositError<'invalid_action'> {
  /**
   * @param reason why it is not possible, and what to do
   * @param more the actions that lead on
   */
  constructor(operation: string, reason: string, more: Pick<Fault, 'actions' | 'deposit'> = {}) {
    super('invalid_action', { operation, reason, ...more })
  }
}

/** The document does not follow its schema; `faults` has each fault with its JSON pointer. */
export class InvalidDocument extends DepositError<'invalid_document'> {
  constructor(faults: readonly Fault[], message: string = problems.invalid_document.message) {
    super('invalid_document', { faults, message })
  }
}

const thrownByOperators: ReadonlyMap<
  ProblemCode,
  object & (new (...values: never[]) => DepositError)
> = new Map<ProblemCode, new (...values: never[]) => DepositError>([
  ['permission_denied', PermissionDenied],
  ['invalid_action', InvalidAction],
  ['invalid_document', InvalidDocument],
])
