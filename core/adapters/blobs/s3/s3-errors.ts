import { S3ServiceException } from '@aws-sdk/client-s3'
import { problem } from '../../../errors/errors.ts'

/** The store has no room left, in the words of several. */
const full: ReadonlySet<string> = new Set([
  'InsufficientStorage',
  'QuotaExceeded',
  'XMinioStorageFull',
])

/** Statuses by which a store says something of the object; all others are of the store itself. */
const ofTheObject: ReadonlySet<number | undefined> = new Set([400, 404, 405, 409, 412, 416, 501])

/** Error codes with one of those statuses that are nevertheless of the store. */
const ofTheStore: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidToken',
  'NoSuchBucket',
  'RequestTimeout',
])

/** There is no such object, or no such upload in parts. */
export function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(nameOf(error))
}

/** An object is there already, where a write was to make a new one. */
export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412
}

/** Another call makes, or has made, what this one was to make. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409
}

/** A range begins behind the end of the object. */
export function isOutside(error: unknown): boolean {
  return statusOf(error) === 416
}

/** The store rejects our credentials or permissions; a retry does not help. */
export function isRefused(error: unknown): boolean {
  const isUnsigned = nameOf(error) === 'CredentialsProviderError'
  return isUnsigned || [301, 400, 401, 403].includes(statusOf(error) ?? 0)
}

/** The store says that the request itself is wrong, and with it perhaps the name of the bucket. */
export function isInvalid(error: unknown): boolean {
  return statusOf(error) === 400
}

/** The words of the store's refusal. The answer to HEAD has only a status. */
export function describeRefusal(error: unknown): string {
  const status = statusOf(error)
  const message = (error instanceof Error ? error.message : '').replace(/\.$/, '')
  if (status === undefined) return message
  return message === 'UnknownError' ? `status ${status}` : `status ${status}, ${message}`
}

/** The store has no such call. */
export function isUnknownCall(error: unknown): boolean {
  return [405, 501].includes(statusOf(error) ?? 0)
}

/**
 * Turns a failure of a call into an error of the service if the store is unreachable, full or
 * refuses us. Errors about an object and aborts by a signal are passed on unchanged.
 */
export function explainS3Error(error: unknown): unknown {
  const name = nameOf(error)
  if (name === 'AbortError') return error
  if (full.has(name) || statusOf(error) === 507) {
    return problem('storage_full', { message: 'The store of files is full.', cause: error })
  }
  if (ofTheObject.has(statusOf(error)) && !ofTheStore.has(name)) return error
  return problem('storage_unavailable', { store: 'files', cause: plainCause(error) })
}

/** Without the name of the library that met it, which says nothing to an operator. */
function plainCause(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const said = /^@smithy\/[\w-]+ - (.+?)\.?$/.exec(error.message)?.[1]
  return said === undefined ? error : new Error(said, { cause: error })
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
