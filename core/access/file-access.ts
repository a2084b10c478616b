import type { JsonObject } from '../base/json.ts'
import { isOpenAt, toFileAccess, type FileAccess } from '../contract/file-access.ts'
import { problem, type DepositError } from '../errors/errors.ts'
import type { Caller, User } from './caller.ts'

/** The part of a record, or of a draft as it would be, that says who may have its files. */
interface Described {
  readonly metadata: JsonObject
}

/** Who may have the files by the metadata. Of a record, those of its newest revision count. */
export function accessOf({ metadata }: Described): FileAccess {
  return toFileAccess(Object.hasOwn(metadata, 'access') ? metadata['access'] : undefined)
}

/**
 * Whether everybody may have the files: bytes, names, sizes and digests. It is judged whenever it is
 * asked, so an embargo ends at the beginning of its day (UTC) by itself.
 *
 * @param now ISO 8601, UTC
 */
export function filesAreOpen(record: Described, now: string): boolean {
  return isOpenAt(accessOf(record), now)
}

/**
 * Whether a caller may have the files of a record that is published: everybody may where they are
 * open, and those who may read its deposit always.
 *
 * @param record its newest revision
 * @param now ISO 8601, UTC
 * @param mayRead whether a user has the permission to read its deposit
 */
export function mayReadFiles(
  caller: Caller,
  record: Described,
  now: string,
  mayRead: (user: User) => boolean,
): boolean {
  if (filesAreOpen(record, now) || caller === 'system') return true
  return caller !== 'anonymous' && mayRead(caller)
}

/**
 * Demands of a correction by others that it says so where it opens closed files: bytes that went out
 * do not come back, and a document without the field may have lost it by mistake. Owners open the
 * files of a draft of theirs by leaving the field out.
 *
 * @param now ISO 8601, UTC
 * @throws {DepositError} invalid_document
 */
export function requireOpeningSaid(before: Described, after: Described, now: string): void {
  if (filesAreOpen(before, now) || Object.hasOwn(after.metadata, 'access')) return
  const message =
    'The files are closed, and this document has no access: keep access as it is, or write access: {files: public} to open them'
  throw problem('invalid_document', { faults: [{ field: '/access', message }] })
}

/** The refusal of files that are not open. */
export function filesRestricted(record: Described): DepositError<'files_restricted'> {
  return problem('files_restricted', accessOf(record))
}

/**
 * Seconds until the files open by themselves; undefined where they are open, or no day is named.
 *
 * @param now ISO 8601, UTC
 */
export function secondsUntilOpen(record: Described, now: string): number | undefined {
  const { until } = accessOf(record)
  if (until === undefined || filesAreOpen(record, now)) return undefined
  return Math.max(0, Math.floor((Date.parse(`${until}T00:00:00Z`) - Date.parse(now)) / 1000))
}
