import { stat } from 'node:fs/promises'
import { requireWritable } from '../../core/base/durable-files.ts'
import { codeOf } from '../../core/base/errno.ts'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'
import type { Home } from './home.ts'

/**
 * Demands that files can be written in the folders of a home which may be disks of their own. One that
 * is missing can be made. Nothing is changed.
 *
 * @throws {StartFailure} one of them is on a read-only file system, or may not be written
 */
export async function requireWritableFolders({ blobs, records, storageUrl }: Home): Promise<void> {
  if (storageUrl !== undefined) return
  for (const folder of [blobs, records]) {
    try {
      if ((await stat(folder)).isDirectory()) await requireWritable(folder)
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw refused(folder, error)
    }
  }
}

function refused(folder: string, error: unknown): unknown {
  if (codeOf(error) === 'EROFS') {
    const said = `${folder} is on a read-only file system.`
    const next = advice.mountForWriting(folder)
    return new StartFailure('cannot_create', said, { next, cause: error })
  }
  if (!['EACCES', 'EPERM'].includes(codeOf(error))) return error
  const said = `${folder} cannot be used: ${error instanceof Error ? error.message : codeOf(error)}`
  return new StartFailure('no_permission', said, { cause: error })
}
