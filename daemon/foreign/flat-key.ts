import type { IncomingHttpHeaders } from 'node:http'
import { foldersHeader } from '../../core/contract/foreign-limits.ts'
import { toFileKey, wrongField, type FileKey } from '../../core/index.ts'

/**
 * The key of a file that is sent: other services have no folders, so a script that sends one here would
 * fail there. Programs that know this service say that they send folders.
 *
 * @throws {DepositError} wrong_file: the name has a slash, or no safe form
 */
export function flatKey(name: string, headers: IncomingHttpHeaders): FileKey {
  return toFileKey(headers[foldersHeader] === '?1' ? name : requireFlat(name))
}

/** @throws {DepositError} wrong_file: the name has a slash */
export function requireFlat(name: string): string {
  if (!/[/\\]/.test(name)) return name
  throw wrongField('wrong_file', 'name', 'The name of a file cannot contain a slash.')
}

/** The same for a form: the folders of the name become a part of it, as `etc_x`. */
export function flattenedKey(name: string): FileKey {
  return toFileKey(toFileKey(name).replaceAll('/', '_'))
}
