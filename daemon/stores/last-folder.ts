import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { folderMark } from '../../core/adapters/blobs/blob-folder.ts'
import { isMissing } from '../../core/base/errno.ts'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import { systemClock, type ServiceMark } from '../../core/index.ts'
import type { Home } from '../home/home.ts'
import { knownFolders, noteFolders } from '../home/place.ts'

/** Ids that are kept: all of three minutes in which each start crashes at once. */
const mostIds = 200

/**
 * Whether the folder of blobs is the one that the home used last. While its disk is not mounted,
 * another one may be in its place, such as an old copy of it. One that was used since by newer rows is
 * the same: it knows the ids of before. Nothing is changed.
 */
export async function isLastFolder(home: Home): Promise<boolean> {
  const known = await knownFolders(home)
  if (known.length === 0) return true
  const ids = await readIds(home)
  return ids.length === 0 ? known.includes('') : ids.some((id) => known.includes(id))
}

/** Whether newer rows than those of this home have used the folder since this home did. */
export async function wasUsedSince(home: Home): Promise<boolean> {
  const last = (await readIds(home)).at(-1)
  const known = await knownFolders(home)
  return last !== undefined && known.length > 0 && !known.includes(last)
}

/**
 * The service that used the folder of blobs last; undefined where its mark tells none. Folders that were
 * marked by earlier versions do not.
 */
export async function lastUser(home: Home): Promise<ServiceMark | undefined> {
  const { service, since, home: root, host } = await readMark(home)
  if (typeof service !== 'string') return undefined
  return { service, since: String(since), home: String(root), host: String(host) }
}

/**
 * Gives the folder of blobs an id, which the home knows. A copy of the folder that is in its place
 * later does not have it. At each moment the home knows what the folder has.
 *
 * @param service id of the service
 */
export async function markFolder(home: Home, service: string): Promise<void> {
  const before = await readIds(home)
  const id = randomUUID()
  await noteFolders(home, [before.at(-1) ?? '', id])
  await removeDrafts(home)
  const ids = [...before, id].slice(-mostIds)
  const mark = { ids, service, home: home.root, host: hostname(), since: systemClock.now() }
  await writeTextDurably(pathIn(home), `${JSON.stringify(mark)}\n`)
  await noteFolders(home, [id])
}

function pathIn({ blobs }: Home): string {
  return join(blobs, folderMark)
}

/** Of the mark, the latest last; none where there is no mark, or no whole one. */
async function readIds(home: Home): Promise<readonly string[]> {
  const { ids } = await readMark(home)
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

type FolderMark = Readonly<Partial<Record<'ids' | 'service' | 'home' | 'host' | 'since', unknown>>>

/** Empty where there is no mark, or no whole one. */
async function readMark(home: Home): Promise<FolderMark> {
  try {
    const mark: unknown = JSON.parse(await readFile(pathIn(home), 'utf8'))
    return typeof mark === 'object' && mark !== null ? mark : {}
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return {}
    throw error
  }
}

/** Those that a crash has left. */
async function removeDrafts({ blobs }: Home): Promise<void> {
  for (const name of await readdir(blobs))
    if (name.startsWith(`${folderMark}.`)) await rm(join(blobs, name), { force: true })
}
