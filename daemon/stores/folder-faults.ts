import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { advice } from '../advice.ts'
import type { Home } from '../home/home.ts'
import { folderMarks } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { isLastFolder } from './last-folder.ts'
import { stepOf } from './marks.ts'
import { unfinishedRestore, whatIsAway } from './storages.ts'

/** @throws {StartFailure} the folder of bytes is a symbolic link */
export function requireNoLink({ blobs, storageUrl }: Home): void {
  if (storageUrl !== undefined) return
  if (lstatSync(blobs, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  const said = `${blobs} is a symbolic link, and those are not followed.`
  const target = resolve(dirname(blobs), readlinkSync(blobs))
  throw new StartFailure('config', said, { next: advice.mountNotLink(blobs, target) })
}

/** @throws {StartFailure} a restore was interrupted: a service that begins there would be an empty one */
export function requireNoRestore({ root, database, databaseUrl }: Home): void {
  if (databaseUrl !== undefined || existsSync(database)) return
  if (!existsSync(join(root, unfinishedRestore))) return
  const said = `A restore into ${root} has not ended.`
  throw new StartFailure('config', said, { next: advice.restoreAgain() })
}

/**
 * Demands of a rebuild that the folder of bytes is not an empty one in the place of that which was used
 * last: files would be missing, and those of drafts not be set aside.
 *
 * @throws {StartFailure}
 */
export async function requireItsFolder(home: Home): Promise<void> {
  if (!(await whatIsAway(home)) || (await isLastFolder(home))) return
  const said = `There are no files in ${home.blobs}, which is not the folder that this service used last.`
  throw new StartFailure('config', said, { next: advice.mountBytes(stepOf(folderMarks(home))) })
}
