import { advice, type Advice } from './advice.ts'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { Failure } from './failure.ts'
import { codeOf } from '../core/base/errno.ts'

/**
 * Reads a file that only this user can read; undefined if it is missing.
 *
 * @throws {Failure} it is a link, belongs to another user, or others can read it
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const { uid, mode } = await file.stat()
    const isForeign = process.getuid !== undefined && uid !== process.getuid()
    const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0
    if (isForeign) throw notPrivate(path, 'it belongs to another user', advice.removeFile(path))
    if (isOpen) throw notPrivate(path, 'others can read it', advice.protectFile(path))
    return await file.readFile('utf8')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw notPrivate(path, 'it is a link', advice.removeFile(path), error)
    throw error
  }
}

function notPrivate(path: string, said: string, next: Advice, cause?: unknown): Failure {
  return new Failure({ tried: `use the secrets in ${path}`, said, next }, { cause })
}
