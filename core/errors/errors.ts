import { problems, type ProblemCode } from '../contract/problems.ts'
import { refusals, type Refusal } from '../contract/refusals.ts'

/** One fault of an input: a JSON pointer or the name of a parameter, and what is wrong with it. */
export interface Fault {
  readonly field: string
  readonly message: string
  /** Actions that lead on, where an action does. */
  readonly actions?: readonly string[]
  /** The deposit they are of, where the address of the request does not name it. */
  readonly deposit?: string
}

/** Base of every error the core raises on purpose. Anything else is a bug. */
export abstract class DepositError extends Error {
  abstract readonly code: ProblemCode

  /** Every fault at once where there can be several; sent to the client as `errors`. */
  readonly faults: readonly object[] = []

  override get name(): string {
    return this.constructor.name
  }
}

/** The token is missing, unknown, expired or revoked. */
export class Unauthenticated extends DepositError {
  readonly code = 'unauthenticated'

  constructor(message: string = problems.unauthenticated.message) {
    super(message)
  }
}

export class InsufficientScope extends DepositError {
  readonly code = 'insufficient_scope'
  readonly scope: string

  constructor(scope: string) {
    super(`This needs the scope ${scope}, which the access token lacks.`)
    this.scope = scope
  }
}

export class PermissionDenied extends DepositError {
  readonly code = 'permission_denied'

  constructor(message: string = problems.permission_denied.message) {
    super(message)
  }
}

/** The operation is not possible in the status the deposit has. */
export class InvalidAction extends DepositError {
  readonly code = 'invalid_action'
  override readonly faults: readonly Fault[]

  /**
   * The message is the specification's.
   *
   * @param reason why it is not possible, and what to do
   * @param more the actions that lead on
   */
  constructor(operation: string, reason: string, more: Pick<Fault, 'actions' | 'deposit'> = {}) {
    super(problems.invalid_action.message)
    this.faults = [{ field: operation, message: reason, ...more }]
  }
}

/** The status of the deposit refuses `operation`. */
export function refused(operation: string, refusal: Refusal, deposit?: string): InvalidAction {
  const { message, actions } = refusals[refusal]
  return new InvalidAction(operation, message, { actions, ...(deposit && { deposit }) })
}

/** Upload, rename or delete of a file of a draft that was published before. */
export class FilesFrozen extends DepositError {
  readonly code = 'files_frozen'
  override readonly faults: readonly Fault[]

  constructor(operation: string, deposit: string) {
    const { message, actions } = refusals.files_frozen
    super(message)
    this.faults = [{ field: operation, message, actions, deposit }]
  }
}

export class DepositNotFound extends DepositError {
  readonly code = 'deposit_not_found'

  constructor(message: string = problems.deposit_not_found.message) {
    super(message)
  }
}

export class DepositDeleted extends DepositError {
  readonly code = 'deposit_deleted'

  constructor() {
    super(problems.deposit_deleted.message)
  }
}

/** The identifier was redirected to another of the same kind. */
export class IdentifierMoved extends DepositError {
  readonly code = 'moved'
  readonly type: string
  readonly value: string

  constructor(type: string, value: string) {
    super(`${problems.moved.message} It is now ${type} ${value}.`)
    this.type = type
    this.value = value
  }
}

export class RecordNotFound extends DepositError {
  readonly code = 'record_not_found'

  constructor() {
    super(problems.record_not_found.message)
  }
}

export class FileNotFound extends DepositError {
  readonly code = 'file_not_found'

  constructor() {
    super(problems.file_not_found.message)
  }
}

export class VersionNotFound extends DepositError {
  readonly code = 'version_not_found'

  constructor() {
    super(problems.version_not_found.message)
  }
}

export class FileExists extends DepositError {
  readonly code = 'file_already_exists'
  override readonly faults: readonly Fault[]

  constructor(key: string, options?: ErrorOptions) {
    super(problems.file_already_exists.message, options)
    this.faults = [{ field: 'name', message: `The deposit already has a file named "${key}".` }]
  }
}

/** A name that is not safe, a sort that is not a permutation, a form without its file part. */
export class WrongFile extends DepositError {
  readonly code = 'wrong_file'
  override readonly faults: readonly Fault[]

  constructor(field: string, reason: string) {
    super(problems.wrong_file.message)
    this.faults = [{ field, message: reason }]
  }
}

export class ChecksumMismatch extends DepositError {
  readonly code = 'checksum_mismatch'

  constructor(given: string, computed: string, left = 'Nothing was kept.') {
    super(`The bytes have ${computed}, but ${given} was given. ${left}`)
  }
}

/** The bytes of an upload stopped before its end, or were framed wrongly. */
export class BrokenUpload extends DepositError {
  readonly code = 'broken_upload'

  constructor(message: string = problems.broken_upload.message, options?: ErrorOptions) {
    super(message, options)
  }
}

export class FileTooLarge extends DepositError {
  readonly code = 'file_too_large'

  /** @param limit bytes */
  constructor(limit: number) {
    super(`The file is larger than the limit of ${limit} bytes.`)
  }
}

/** The disk, or the share of it that uploads may use, is full. */
export class StorageFull extends DepositError {
  readonly code = 'storage_full'

  constructor(message: string = problems.storage_full.message, options?: ErrorOptions) {
    super(message, options)
  }
}

export class QuotaExceeded extends DepositError {
  readonly code = 'quota_exceeded'
}

/** The store answered with an I/O error; it takes no writes until an operator restarts it. */
export class StorageDegraded extends DepositError {
  readonly code: 'storage_degraded' | 'storage_failed' = 'storage_degraded'

  constructor(options?: ErrorOptions, message: string = problems.storage_degraded.message) {
    super(message, options)
  }
}

/**
 * The store fails now, in the middle of this request: nobody knows what of the change has reached
 * the disk until the service starts again.
 */
export class StorageFailed extends StorageDegraded {
  override readonly code = 'storage_failed'

  constructor(options?: ErrorOptions) {
    super(options, problems.storage_failed.message)
  }
}

/** The database does not answer now, or has broken off; nothing of the change was kept. */
export class StorageUnavailable extends DepositError {
  readonly code = 'storage_unavailable'

  constructor(options?: ErrorOptions, message: string = problems.storage_unavailable.message) {
    super(message, options)
  }
}

/** The store of files does not answer now, or refuses us; nothing of the change was kept. */
export class FilesUnavailable extends StorageUnavailable {
  constructor(
    options?: ErrorOptions,
    message = 'The files cannot be reached now; try again soon.',
  ) {
    super(options, message)
  }
}

/** The process has no file descriptors or no memory left for now. */
export class Overloaded extends DepositError {
  readonly code = 'overloaded'

  constructor(options?: ErrorOptions) {
    super(problems.overloaded.message, options)
  }
}

/** The bytes of a stored file are not those that were acknowledged. */
export class DamagedFile extends DepositError {
  readonly code = 'damaged_file'

  constructor(options?: ErrorOptions) {
    super(problems.damaged_file.message, options)
  }
}

/** A text that is not JSON, or JSON that could not be stored and given back as it is. */
export class MalformedJson extends DepositError {
  readonly code = 'malformed_json'
  override readonly faults: readonly (Fault & { readonly position?: number })[]

  /**
   * @param field JSON pointer
   * @param position characters from the start of the text; left out where it is not known
   */
  constructor(reason: string, field: string, position?: number) {
    const where = position === undefined ? '' : ` (at character ${position})`
    super(`${problems.malformed_json.message.replace(/\.$/, '')}: ${reason}${where}.`)
    this.faults = [{ field, message: reason, ...(position === undefined ? {} : { position }) }]
  }
}

/** The document does not follow its schema; `faults` has each fault with its JSON pointer. */
export class InvalidDocument extends DepositError {
  readonly code = 'invalid_document'
  override readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[], message: string = problems.invalid_document.message) {
    super(message)
    this.faults = faults
  }
}

export class UnknownSchema extends DepositError {
  readonly code = 'unknown_schema'
  override readonly faults: readonly Fault[]

  constructor(reason: string) {
    super(problems.unknown_schema.message)
    this.faults = [{ field: '/$schema', message: reason }]
  }
}

export class InvalidPatch extends DepositError {
  readonly code = 'invalid_patch'
  override readonly faults: readonly Fault[]

  /** @param operation position of the faulty operation; null for a fault of the patch as a whole */
  constructor(operation: number | null, reason: string) {
    super(problems.invalid_patch.message)
    this.faults = [{ field: operation === null ? '' : `/${operation}`, message: reason }]
  }
}

/** A search query that cannot be read, with the position of the fault. */
export class InvalidQuery extends DepositError {
  readonly code = 'invalid_query'
  override readonly faults: readonly (Fault & { readonly position: number })[]

  /** @param position characters from the start of the query */
  constructor(reason: string, position: number) {
    super(`${reason} (at character ${position} of the query)`)
    this.faults = [{ field: 'q', message: reason, position }]
  }
}

/** A parameter of the request is missing or wrong. */
export class MalformedRequest extends DepositError {
  readonly code = 'malformed_request'
  override readonly faults: readonly Fault[]

  constructor(field: string, reason: string) {
    super(problems.malformed_request.message)
    this.faults = [{ field, message: reason }]
  }
}

export class InvalidPaging extends DepositError {
  readonly code = 'invalid_paging'
  override readonly faults: readonly Fault[]

  constructor(field: string, reason: string) {
    super(problems.invalid_paging.message)
    this.faults = [{ field, message: reason }]
  }
}

/** Somebody changed the deposit between the caller's reading and writing. */
export class StaleRevision extends DepositError {
  readonly code = 'stale_revision'

  constructor(current: number) {
    super(`The deposit has changed since it was read: its revision is now "${current}".`)
  }
}

/** One place where the draft and the record changed differently since the draft began. */
export interface Conflict {
  /** JSON pointer. */
  readonly field: string
  readonly message: string
  /** Absent where the side has no value at this place. */
  readonly base?: unknown
  readonly ours?: unknown
  readonly theirs?: unknown
}

/** The record changed since the edit began, and the draft changed the same place. */
export class MergeConflict extends DepositError {
  readonly code = 'merge_conflict'
  override readonly faults: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super(problems.merge_conflict.message)
    this.faults = conflicts
  }
}

/** The deposit has as many files, or unfinished uploads, as it may have. */
export class LimitReached extends DepositError {
  readonly code = 'quota_exceeded'

  constructor(limit: number, of = 'files', next = 'Nothing was kept.') {
    super(`A deposit may have ${limit} ${of} and no more. ${next}`)
  }
}

export class UploadNotFound extends DepositError {
  readonly code = 'upload_not_found'

  constructor() {
    super(problems.upload_not_found.message)
  }
}

/** The upload was not finished in time; what has arrived is gone, or will be soon. */
export class UploadExpired extends DepositError {
  readonly code = 'upload_expired'

  constructor() {
    super(problems.upload_expired.message)
  }
}

/** The key of a request that may come again was used for another one. */
export class IdempotencyKeyReused extends DepositError {
  readonly code = 'idempotency_key_reused'

  constructor() {
    super(problems.idempotency_key_reused.message)
  }
}

/** The request does not go on where the upload is, or another request has taken it over. */
export class UploadConflict extends DepositError {
  readonly code = 'upload_conflict'

  constructor(message: string = problems.upload_conflict.message) {
    super(message)
  }
}

/** Uploads that are not finished stand in the way of publishing. */
export class UploadsUnfinished extends DepositError {
  readonly code = 'invalid_action'
  override readonly faults: readonly (Fault & { readonly upload: string })[]

  constructor(uploads: readonly { readonly id: string; readonly key: string }[]) {
    super(problems.invalid_action.message)
    this.faults = uploads.map(({ id, key }) => ({
      field: key,
      message: `The upload ${id} of "${key}" is not finished: finish it or delete it first.`,
      upload: id,
    }))
  }
}
