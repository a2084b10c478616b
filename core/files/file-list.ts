import { isSamePath, safeKey } from '../contract/file-key.ts'
import { wrongField } from '../errors/errors.ts'
import type { DepositFile, FileKey } from './file.ts'

/**
 * Checks that `ids` names every file of `files` exactly once, and answers them in that order.
 *
 * @throws {DepositError} wrong_file: an id is missing, unknown or named twice
 * @see Specification, "Deposit files list", PUT
 */
export function sortFiles(
  files: readonly DepositFile[],
  ids: readonly string[],
): readonly DepositFile[] {
  const byId = new Map<string, DepositFile>(files.map((file) => [file.id, file]))
  const sorted = ids.map((id, index) => {
    const file = byId.get(id)
    if (!file)
      throw wrongField('wrong_file', `/${index}/id`, `"${id}" is not a file here, or named twice.`)
    byId.delete(id)
    return file
  })
  const [left] = byId.values()
  if (left) throw wrongField('wrong_file', '', `The order leaves out "${left.key}" (${left.id}).`)
  return sorted
}

/**
 * The key a name is stored under: its safe form.
 *
 * @throws {DepositError} wrong_file: the name has no safe form
 */
export function toFileKey(name: string): FileKey {
  const safe = safeKey(name)
  if ('reason' in safe) throw wrongField('wrong_file', 'name', `${safe.reason}.`)
  return safe.key as FileKey
}

/**
 * Demands that a name whose file is there is meant for that file.
 *
 * @throws {DepositError} wrong_file: it is another name, of which only the safe form is that key
 */
export function requireOwnName(name: string, key: FileKey): void {
  if (isSamePath(name, key)) return
  throw wrongField(
    'wrong_file',
    'name',
    `The safe form of this name is "${key}", which is the name of another file. ` +
      `To replace that file, send it as "${key}"; or send this one under another name.`,
  )
}

/**
 * A new name that must be given in its safe form.
 *
 * @throws {DepositError} wrong_file: `filename` differs from its own safe form, which the message shows
 * @see Specification, "Deposit file item", PUT
 */
export function parseFileKey(filename: string): FileKey {
  const safe = safeKey(filename)
  if ('reason' in safe) throw wrongField('wrong_file', 'filename', `${safe.reason}.`)
  if (safe.key !== filename) {
    throw wrongField('wrong_file', 'filename', `The safe form of this name is "${safe.key}".`)
  }
  return safe.key as FileKey
}

/** A key as a path of a URL names it: compared by its Unicode form, otherwise as it is. */
export function requestedKey(text: string): FileKey {
  return text.normalize('NFC') as FileKey
}
