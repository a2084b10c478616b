import { constants } from 'node:fs'
import { chmod, copyFile, link, lstat, writeFile } from 'node:fs/promises'
import { problem } from '../../errors/errors.ts'
import { syncPath } from '../../base/durable-files.ts'
import { codeOf } from '../../base/errno.ts'

const damaged = new Set(['ENOENT', 'EACCES', 'EIO'])
const cannotShare = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'])

/** Gives the file at `source` a second name, or copies it where that cannot be. */
export async function copyOut(source: string, target: string, share: boolean): Promise<void> {
  try {
    if (!(await lstat(source)).isFile()) throw problem('damaged_file')
    if (share && (await linked(source, target))) return
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await chmod(target, 0o400)
    await syncPath(target)
  } catch (error) {
    if (damaged.has(codeOf(error))) throw problem('damaged_file', { cause: error })
    throw error
  }
}

/** Writes bytes to a new file, durably but for its name, and read-only as every blob. */
export function writeOut(bytes: Buffer, target: string): Promise<void> {
  return writeFile(target, bytes, { flag: 'wx', mode: 0o400, flush: true })
}

async function linked(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
    return true
  } catch (error) {
    if (cannotShare.has(codeOf(error))) return false
    throw error
  }
}
