import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lostAndFound } from '../../core/base/durable-files.ts'

/** Names in a folder that is as good as empty: of a new disk, and of a command that has just begun. */
const harmless: ReadonlySet<string> = new Set([lostAndFound, 'daemon.lock', 'daemon.lock-journal'])

/** Parts of a home that may be disks of their own, mounted there before there is a home. */
const disks: ReadonlySet<string> = new Set(['blobs', 'records'])

/**
 * What keeps a folder from becoming a new home; undefined where it is as good as empty. Folders of a
 * home without files, such as new disks that are mounted there, are no obstacle.
 *
 * @param names of everything in it, but for those that may be there
 * @param isOwn whether everything in such a folder, by its names there, may be removed
 * @returns a path below it
 */
export async function findForeign(
  root: string,
  names: readonly string[],
  isOwn: (held: readonly string[]) => boolean = () => false,
): Promise<string | undefined> {
  for (const name of names) {
    if (harmless.has(name)) continue
    if (!disks.has(name) || !(await lstat(join(root, name))).isDirectory()) return name
    const held = await readdir(join(root, name))
    const foreign = held.find((each) => each !== lostAndFound)
    if (foreign !== undefined && !isOwn(held)) return join(name, foreign)
  }
  return undefined
}
