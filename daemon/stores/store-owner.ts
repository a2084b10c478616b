import { count } from '../../core/base/amounts.ts'
import {
  findServiceId,
  noteMarked,
  serviceId,
  wasMarked,
  type BlobStore,
  type Database,
  type Readers,
  type ServiceMark,
  type StoreMarks,
} from '../../core/index.ts'
import { advice, type Advice } from '../advice.ts'
import type { Home } from '../home/home.ts'
import { placeOf } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { requireFolderUnused } from './folder-use.ts'
import { requireNoLink, requireNoRestore } from './folder-faults.ts'
import { describeMark, isForAnybody, markOf, stepOf } from './marks.ts'
import { isLastFolder, lastUser, markFolder, requireLatestRows } from './last-folder.ts'
import {
  countHeld,
  openBlobs,
  openManifests,
  openMarks,
  isInFolder,
  whatIsAway,
  whatSmallIsAway,
  type BlobOptions,
} from './storages.ts'
import { requireAllRows } from './unfinished-rows.ts'

/** The rows that tell whose bytes are theirs. */
export interface OwnerRows {
  readonly read: {
    readonly sharedSecrets: Pick<Readers['sharedSecrets'], 'find'>
    readonly accounts: Pick<Readers['accounts'], 'list'>
    readonly records: Pick<Readers['records'], 'count' | 'find'>
    readonly blobs: Pick<Readers['blobs'], 'newest'>
  }
}

/** Those of a database without tables yet. */
export const newRows: OwnerRows = {
  read: {
    sharedSecrets: { find: async () => undefined },
    accounts: { list: async () => [] },
    records: { count: async () => 0, find: async () => undefined },
    blobs: { newest: async () => [] },
  },
}

/** Files, and records, that are looked at in a store without a mark. */
const newestFiles = 8
const mostRecords = 1000

/**
 * The bytes of a home, as all commands and daemons open them.
 *
 * @param options `claims` marks a store that has no mark
 * @throws {StartFailure} as {@link requireOwnStore}
 */
export async function openOwnBlobs(
  home: Home,
  { claims = false, ...options }: BlobOptions & { readonly claims?: boolean },
): Promise<BlobStore> {
  const { database, notice } = options
  if (claims) await claimOwnStore(home, database, notice)
  else await requireOwnStore(home, database)
  await using stack = new AsyncDisposableStack()
  const blobs = stack.use(await openBlobs(home, options))
  if (claims && home.storageUrl === undefined) await claimFolder(home, database, notice)
  stack.move()
  return blobs
}

/** @param notice told where there is no room for the mark of the folder, as of {@link claimOwnStore} */
async function claimFolder(
  home: Home,
  database: Database,
  notice: BlobOptions['notice'],
): Promise<void> {
  try {
    await markFolder(home, await serviceId(database))
  } catch (error) {
    if (!notice) throw error
    notice(
      `The folder ${home.blobs} has no mark of this start, which the next one makes: ${String(error)}`,
    )
  }
}

/**
 * Demands that the bytes of a home are those of the service that the rows are of: another one's would
 * be garbage to it. Rows of several daemons have one id, and so do copies of them. Nothing is changed.
 *
 * @param mayBeAt a store that the bytes may have been moved to
 * @throws {StartFailure} they are another service's, or not known to be those of this one
 */
export async function requireOwnStore(
  home: Home,
  database: OwnerRows,
  mayBeAt?: string,
): Promise<'own' | 'for anybody' | 'no mark'> {
  await using marks = await openMarks(home, false)
  return await judge({ home, database, marks, mayBeAt })
}

/**
 * The same, which marks a store that has no mark.
 *
 * @param notice told where there is no room for a mark: without room, records can still be read
 */
async function claimOwnStore(
  home: Home,
  database: Database,
  notice: BlobOptions['notice'],
): Promise<void> {
  const found = await requireOwnStore(home, database)
  if (!database.isShared) await requireFolderUnused(home)
  if (found !== 'for anybody') await requireLatestRows(home)
  if (found === 'own') return
  try {
    await using marks = await openMarks(home)
    await claim({ home, database, marks }, found === 'for anybody')
  } catch (error) {
    if (error instanceof StartFailure || !notice) throw error
    notice(
      `The bytes in ${placeOf(home).storage} have no mark, which the next start makes: ${String(error)}`,
    )
  }
}

interface Judged {
  readonly home: Home
  readonly database: OwnerRows
  readonly marks: StoreMarks
  readonly mayBeAt?: string | undefined
}

/** @throws {StartFailure} */
async function judge(judged: Judged): Promise<'own' | 'for anybody' | 'no mark'> {
  const { home, database, marks } = judged
  requireNoLink(home)
  requireNoRestore(home)
  await requireAllRows(database)
  const mark = await marks.read()
  if (mark && isForAnybody(mark)) return 'for anybody'
  if (mark) {
    await requireOwn(mark, await findServiceId(database), judged)
    await requireFolder(judged, mark.lost)
    await requireSmallFiles(judged, mark.lost)
    await requireLastFolder(judged)
    return 'own'
  }
  await requireLastFolder(judged)
  await requireNoOthersFolder(judged)
  // Others may reach a copy of a bucket, which has the bytes but is not the store: the mark tells.
  const isCopyLikely = home.storageUrl !== undefined && (await wasMarked(database))
  const isHeld = (await isUsed(database)) && (await requireBytes(judged, isCopyLikely))
  // No other service shares the folders of a home: further records came after a dump of the rows.
  if (!isHeld || home.storageUrl !== undefined) await requireKnownRecords(home, database)
  return 'no mark'
}

async function claim(
  { home, database, marks }: Judged & { readonly database: Database },
  replaces: boolean,
): Promise<void> {
  const made = markOf(home, await serviceId(database))
  // The operator has said that the bytes may be lost: those that come from now on may not.
  const isAway = (await whatIsAway(home)) !== undefined || whatSmallIsAway(home) !== undefined
  const own = replaces && isAway ? { ...made, lost: made.since } : made
  if (!(await marks.write(own, { isNew: !replaces }))) {
    const found = await marks.read()
    if (found) await requireOwn(found, own.service, { home, database, marks })
  }
  await noteMarked(database)
}

/**
 * Makes a store that a service is moved to that of the service, which it may have been before.
 *
 * @param elsewhere where its bytes are until all are there; undefined where rows are moved as well,
 *   which come last
 * @throws {StartFailure} the bytes there are another service's
 */
export async function claimTarget(
  home: Home,
  database: Database,
  elsewhere: string | undefined,
): Promise<void> {
  await using marks = await openMarks(home)
  const own = await serviceId(database)
  if ((await judgeTarget({ home, database, marks }, own)) === 'own') return
  await marks.write({ ...markOf(home, own), ...(elsewhere !== undefined && { elsewhere }) })
  await noteMarked(database)
}

/** Demands what {@link claimTarget} demands, and makes nothing. @throws {StartFailure} */
export async function requireClaimable(home: Home, database: OwnerRows): Promise<void> {
  await using marks = await openMarks(home, false)
  await judgeTarget({ home, database, marks }, await findServiceId(database))
}

async function judgeTarget(judged: Judged, own: string | undefined): Promise<'own' | 'free'> {
  const { home, database, marks } = judged
  const mark = await marks.read()
  if (mark && !isForAnybody(mark)) {
    if (mark.service !== own) await requireOwn(mark, own, judged)
    return 'own'
  }
  await requireKnownRecords(home, database)
  return 'free'
}

/**
 * Says that all bytes of a service are at the place they were moved to.
 *
 * @param from where they were, and are no longer used by the same rows
 */
export async function noteMoved(home: Home, database: Database, from?: Home): Promise<void> {
  const own = await serviceId(database)
  await using there = await openMarks(home)
  await there.write(markOf(home, own))
  if (!from) return
  await using here = await openMarks(from)
  await here.write({ ...markOf(from, own), elsewhere: placeOf(home).storage })
}

/**
 * Demands that a mark is that of a service, and that its bytes were not moved since.
 *
 * @param own id of the service
 * @throws {StartFailure}
 */
export async function requireOwn(
  mark: ServiceMark,
  own: string | undefined,
  judged: Judged,
): Promise<void> {
  const { home, mayBeAt } = judged
  const { storage } = placeOf(home)
  const { service, elsewhere, since } = mark
  if (service === own) {
    if (elsewhere === undefined || elsewhere === mayBeAt) return
    const said = `The bytes of this service are not in ${storage}: they are in ${elsewhere}, as was noted at ${since}.`
    throw new StartFailure('config', said, { next: advice.followBytes(elsewhere) })
  }
  const said = `The bytes in ${storage} are those of ${describeMark(mark)}.`
  throw new StartFailure('config', said, { next: await wayOn(judged) })
}

/** The next step where the bytes are those of another service. */
async function wayOn({ home, database, marks }: Judged): Promise<Advice> {
  return (await isUsed(database))
    ? advice.useOneService(stepOf(marks))
    : advice.rebuildThere(placeOf(home).database)
}

/**
 * Demands of a store without a mark that it has most of the newest bytes which the rows name, if they name any.
 *
 * @param isCopyLikely bytes alone do not tell that it is the store
 * @returns false where the rows name no bytes
 * @throws {StartFailure}
 */
export async function requireBytes(
  { home, database, marks }: Judged,
  isCopyLikely: boolean,
): Promise<boolean> {
  const newest = await database.read.blobs.newest(newestFiles)
  if (newest.length === 0) return false
  // A few may be damaged, which is not known yet.
  const isThere = 2 * (await countHeld(home, newest)) >= newest.length
  if (isThere && !isCopyLikely) return true
  const said = `The database has files, and ${placeOf(home).storage} is not the store of its service: it has no mark`
  const lacks = isThere ? '' : `, and not the newest ${count(newest.length, 'file')}`
  throw new StartFailure('config', `${said}${lacks}.`, { next: advice.findBytes(stepOf(marks)) })
}

/**
 * Demands that the folders of bytes in a home are there if the rows name bytes which they had: the
 * disk that they are on may not be mounted, and new files would go to the wrong one.
 *
 * @param since ISO 8601, UTC: the operator knows that files from before are lost
 * @throws {StartFailure}
 */
async function requireFolder({ home, database, marks }: Judged, since?: string): Promise<void> {
  const away = await whatIsAway(home)
  if (!away) return
  const [lost] = await database.read.blobs.newest(1, { since, ...away })
  if (lost === undefined) return
  const said = `The database has files, and there are none in ${home.blobs}.`
  throw new StartFailure('config', said, { next: advice.mountBytes(stepOf(marks)) })
}

/** The same for the database of small files: opening the store makes an empty one where it is missing. */
async function requireSmallFiles({ home, database, marks }: Judged, since?: string): Promise<void> {
  const away = whatSmallIsAway(home)
  if (!away) return
  const [lost] = await database.read.blobs.newest(1, { since, ...away })
  if (lost === undefined || isInFolder(home, lost)) return
  const said = `The database has files of at most 64 KiB, and ${home.root} has no small-blobs.db, where they were.`
  throw new StartFailure('config', said, { next: advice.putSmallBack(home.blobs, stepOf(marks)) })
}

/**
 * Demands that the folder of bytes in a home is the one that was used last, for the same reason: an old
 * copy of it may be below the disk that is not mounted.
 *
 * @throws {StartFailure}
 */
async function requireLastFolder(judged: Judged): Promise<void> {
  const { home, marks } = judged
  if (home.storageUrl !== undefined || (await isLastFolder(home))) return
  await requireNotOthers(judged)
  const said = `The files in ${home.blobs} are not those that this service used last.`
  throw new StartFailure('config', said, { next: advice.mountBytes(stepOf(marks)) })
}

/**
 * Demands of a home without a mark that the folder of bytes in it, which may be a disk of its own, has no
 * files of another service. @throws {StartFailure}
 */
async function requireNoOthersFolder(judged: Judged): Promise<void> {
  const { home, database } = judged
  if (home.storageUrl !== undefined) return
  // The disk of a service with small files alone has no file but its mark.
  await requireNotOthers(judged)
  if ((await whatIsAway(home)) !== undefined) return
  if (await isUsed(database)) return
  const said = `There are files in ${home.blobs}, and none in the database.`
  throw new StartFailure('config', said, { next: advice.rebuildThere(placeOf(home).database) })
}

/** Demands that no other service has used the folder of bytes last. @throws {StartFailure} */
async function requireNotOthers(judged: Judged): Promise<void> {
  const { home, database } = judged
  const user = await lastUser(home)
  if (!user || user.service === (await findServiceId(database))) return
  const said = `The bytes in ${home.blobs} are those of ${describeMark(user)}.`
  const next = advice.mountOwnDisk(await wayOn(judged))
  throw new StartFailure('config', said, { next })
}

/** Demands of a store without a mark that it has no records of others. @throws {StartFailure} */
async function requireKnownRecords(home: Home, database: OwnerRows): Promise<void> {
  await using manifests = await openManifests(home, undefined, false)
  let [looked, last] = [0, '']
  for await (const name of manifests.list()) {
    if ('strange' in name || name.value === last) continue
    last = name.value
    if (!(await database.read.records.find(name.value))) await refuseRecord(home, database, last)
    looked += 1
    if (looked === mostRecords) return
  }
}

async function refuseRecord(home: Home, database: OwnerRows, value: string): Promise<never> {
  const { storage } = placeOf(home)
  if (!(await isUsed(database))) {
    const said = `There are records in ${storage}, and none in the database.`
    throw new StartFailure('config', said, { next: advice.rebuildThere(placeOf(home).database) })
  }
  await using marks = await openMarks(home, false)
  const said = `There are records in ${storage} that are not in the database, such as ${value}, and it has no mark.`
  throw new StartFailure('config', said, { next: advice.useOneService(stepOf(marks)) })
}

/** Whether a service has begun to use the rows. */
export async function isUsed({ read }: OwnerRows): Promise<boolean> {
  return (await read.accounts.list()).length > 0 || (await read.records.count()) > 0
}
