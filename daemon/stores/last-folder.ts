import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  folderMark,
  idsOf,
  isAtLeast,
  nextTurn,
  readFolderMark,
  type FolderMark,
} from '../../core/adapters/blobs/folder-mark.ts'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import { advice } from '../advice.ts'
import { systemClock, type ServiceMark } from '../../core/index.ts'
import type { Home } from '../home/home.ts'
import { folderMarks, knownFolders, noteFolders } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { stepOf, whereabouts } from './marks.ts'

/** Ids of folders that a restore has filled begin so. */
const restored = 'restored-'

/** Ids that are kept: all of three minutes in which each start crashes at once. */
const mostIds = 200

/**
 * Whether the folder of blobs is the one that the home used last. While its disk is not mounted,
 * another one may be in its place, such as an old copy of it, perhaps of an earlier turn of the same start.
 * One that was used since by newer rows is the same: it knows the ids of before. To a home that was restored, any folder of its service is: whether
 * its rows are older tells {@link requireLatestRows}. Nothing is changed.
 */
export async function isLastFolder(home: Home): Promise<boolean> {
  const known = await knownFolders(home)
  if (known.length === 0) return true
  const ids = await readIds(home)
  if (ids.length === 0) return known.includes('')
  const isLater = ids.some((id) => known.some((before) => isAtLeast(id, before)))
  return isLater || known.some((id) => id.startsWith(restored))
}

/**
 * Demands that no newer rows than those of this home have used the folder since this home did: what they
 * stored is garbage to it. Rows on a server are not those of a home.
 *
 * @throws {StartFailure}
 */
export async function requireLatestRows(home: Home): Promise<void> {
  if (home.databaseUrl !== undefined || home.storageUrl !== undefined) return
  const last = (await readIds(home)).at(-1)
  const known = await knownFolders(home)
  if (last === undefined || known.length === 0) return
  if (known.some((id) => isAtLeast(id, last))) return
  const user = await lastUser(home)
  const by = user ? `: since ${user.since}, with the home ${user.home} on ${user.host}` : ''
  const said = `The files in ${home.blobs} were used later than this home${by}. This home is an older copy of that one, or comes from a backup.`
  const step = stepOf(folderMarks(home))
  throw new StartFailure('config', said, { next: advice.useLatestRows(home.blobs, step) })
}

/**
 * The service that used the folder of blobs last; undefined where its mark tells none. Folders that were
 * marked by earlier versions do not.
 */
export async function lastUser(home: Home): Promise<ServiceMark | undefined> {
  const { service, since, home: root, host } = await readFolderMark(home.blobs)
  if (typeof service !== 'string') return undefined
  return { service, since: String(since), home: String(root), host: String(host) }
}

/**
 * Gives the folder of blobs an id, which the home knows. A copy of the folder that is in its place
 * later does not have it. At each moment the home knows what the folder has.
 *
 * @param service id of the service
 * @param earlier the id of the start of this daemon, where a later one uses the folder as well
 */
export function markFolder(home: Home, service: string, earlier?: string): Promise<void> {
  const user = { service, since: systemClock.now(), ...whereabouts(home) }
  return giveId(home, randomUUID(), { ...user, ...(earlier !== undefined && { earlier }) })
}

/**
 * Begins the next turn of the folder, which the daemon that marked it uses: a copy of the home, or of the
 * folder, that was made before is an older one.
 *
 * @param own its last id; nothing is done where the folder has another one
 * @returns the id that it has now
 */
export async function beginTurn(home: Home, own: string): Promise<string> {
  const { ids: _, ...user } = await readFolderMark(home.blobs)
  const ids = await readIds(home)
  if (ids.at(-1) !== own) return own
  const next = nextTurn(own)
  await writeIds(home, [...ids.slice(0, -1), next], user)
  return next
}

/** The same for a folder that a restore has filled. */
export function markRestored(home: Home): Promise<void> {
  return giveId(home, `${restored}${randomUUID()}`, {})
}

async function giveId(home: Home, id: string, user: Omit<FolderMark, 'ids'>): Promise<void> {
  await writeIds(home, [...(await readIds(home)), id].slice(-mostIds), user)
}

/** Writes the ids of the folder. The home knows both of the last ones before, and the new one after. */
async function writeIds(
  home: Home,
  ids: readonly string[],
  user: Omit<FolderMark, 'ids'>,
): Promise<void> {
  const [before, id] = [(await readIds(home)).at(-1) ?? '', ids.at(-1) ?? '']
  await noteFolders(home, [before, id])
  await removeDrafts(home)
  await writeTextDurably(pathIn(home), `${JSON.stringify({ ids, ...user })}\n`)
  await noteFolders(home, [id])
}

function pathIn({ blobs }: Home): string {
  return join(blobs, folderMark)
}

async function readIds({ blobs }: Home): Promise<readonly string[]> {
  return idsOf(await readFolderMark(blobs))
}

/** Those that a crash has left. */
async function removeDrafts({ blobs }: Home): Promise<void> {
  for (const name of await readdir(blobs))
    if (name.startsWith(`${folderMark}.`)) await rm(join(blobs, name), { force: true })
}
