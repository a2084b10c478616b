import {
  copyBlobs,
  copyManifests,
  findRebuild,
  findServiceId,
  giveServiceId,
  noteMarked,
  serviceId,
  wasMarked,
  type Database,
} from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { copyBeside } from './beside.ts'
import { Directories } from './directories.ts'
import { lockHome } from '../../home/home-lock.ts'
import type { Home } from '../../home/home.ts'
import { placeOf } from '../../home/place.ts'
import { copyAllRows, countCopied, openDatabase } from '../../stores/open-stores.ts'
import { openBlobs, openManifests } from '../../stores/storages.ts'
import { claimTarget, isUsed, noteMoved, requireOwnStore } from '../../stores/store-owner.ts'
import { requireLatestStore } from '../../stores/other-users.ts'
import { requireUnusedStore } from '../../stores/store-use.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import type { Target } from './target.ts'

export interface MoveOptions {
  readonly progress: (text: string) => void
  readonly report: (error: unknown) => void
  readonly signal: AbortSignal
}

/** Counts of moved rows, blobs and manifests, and the faults found. */
export interface Moved {
  readonly blobs: number
  readonly manifests: number
  readonly rows: number
  /** Whether an earlier run had copied the rows. */
  readonly hadRows: boolean
  /** Ids of blobs that were damaged already: the target has none of their bytes. */
  readonly damaged: readonly string[]
  /** Faults of the rows of the target. */
  readonly faults: readonly string[]
}

/**
 * Copies rows, bytes and manifests of a home to their new place. Data that exist there are left
 * unchanged. Bytes come first and rows last, all of them or none: so a move that was stopped can be
 * run again, and no daemon serves half of it. Where the rows are there, as an earlier run has copied
 * them, everything else is looked at again.
 *
 * @throws {OperatorFailure} the target has other rows already
 */
export async function move(from: Home, target: Target, options: MoveOptions): Promise<Moved> {
  await using stack = new AsyncDisposableStack()
  const { home, takesBytes, takesRows } = target
  if (home.root !== from.root) stack.use(await lockHome(home))
  const copied = takesRows ? await findCopied(from, home, options) : undefined
  await moveService(from, target, options)
  const bytes = takesBytes ? await moveBytes(from, target, options) : none
  // They came before the rows, and may have been changed there since.
  if (home.root !== from.root && copied === undefined) await copySettings(from, home)
  const rows = takesRows ? await moveRows(from, home, copied, options) : { rows: 0, faults: [] }
  if (takesBytes && rows.faults.length === 0) {
    await using source = await openDatabase(from, options.report)
    // Where the rows are moved as well, the old ones stay whole with their bytes.
    await noteMoved(home, source, takesRows ? undefined : from)
  }
  return { ...bytes, ...rows, hadRows: copied !== undefined }
}

const none = { blobs: 0, manifests: 0, damaged: [] } as const

/**
 * Makes the tables of the target, where there are none yet.
 *
 * @returns how many rows an earlier run has copied; undefined where there are none
 * @throws {OperatorFailure} it has others, or the source has changed since
 */
async function findCopied(
  from: Home,
  home: Home,
  { report, signal }: MoveOptions,
): Promise<number | undefined> {
  const found = await lookAt(home, report)
  const isOwn = found.id !== undefined && found.id === (await lookAt(from, report)).id
  const copied = isOwn && !found.isBeingMade ? await countCopied(from, home, signal) : undefined
  if (copied !== undefined || (!found.isUsed && !found.isBeingMade)) return copied
  const [place, next] =
    home.databaseUrl === undefined
      ? [home.root, advice.nameNew()]
      : ['The database', advice.useEmptyDatabase()]
  const differing = isOwn ? ' of this service, and they are not as they are here' : ''
  throw new OperatorFailure(`${place} has rows already${differing}.`, next)
}

async function lookAt(home: Home, report: MoveOptions['report']) {
  await using database = await openDatabase(home, report)
  return {
    id: await findServiceId(database),
    isUsed: await isUsed(database),
    /** By a rebuild that has not ended. */
    isBeingMade: (await findRebuild(database)) !== undefined,
  }
}

/**
 * Makes the target that of the same service, which its bytes and its rows know.
 *
 * @throws {StartFailure} its bytes are another service's, or are in use
 */
async function moveService(
  from: Home,
  { home, takesRows, takesBytes }: Target,
  { report }: MoveOptions,
): Promise<void> {
  await using source = await openDatabase(from, report)
  const { storage } = placeOf(from)
  // It may be run again from where everything was, to compare.
  await requireOwnStore(from, source, placeOf(home).storage)
  await requireLatestStore(from)
  if (takesBytes) {
    if (!takesRows) await requireUnusedStore(from, 'depositd move')
    await requireUnusedStore(home, 'depositd move')
    await claimTarget(home, source, takesRows ? undefined : storage)
  }
  if (!takesRows) return
  await using rows = await openDatabase(home, report)
  await giveServiceId(rows, await serviceId(source))
  if (await wasMarked(source)) await noteMarked(rows)
}

async function moveBytes(
  from: Home,
  { home, takesRows }: Target,
  { progress, report, signal }: MoveOptions,
): Promise<Pick<Moved, 'blobs' | 'manifests' | 'damaged'>> {
  await using stack = new AsyncDisposableStack()
  const source = stack.use(await openDatabase(from, report))
  const rows = takesRows ? stack.use(await openDatabase(home, report)) : source
  const here = stack.use(await openBlobs(from, { database: source }))
  const there = stack.use(await openBlobs(home, { database: rows }))
  const damaged: string[] = []
  const blobs = await copyBlobs(source.read.blobs.each(), here, there, {
    progress: (count, size) => progress(`Copied ${count} blobs, ${size} bytes`),
    damaged: ({ id }) => void damaged.push(id),
    signal,
  })
  const known = stack.use(await openManifests(from))
  const manifests = await copyManifests(known, stack.use(await openManifests(home)), signal)
  return { blobs, manifests, damaged }
}

/** Once more where a move was stopped. */
async function copySettings(from: Home, to: Home): Promise<void> {
  const directories = new Directories(to.root)
  await copyBeside(from, to.root, directories, { replace: true })
  await directories.sync()
}

/** All rows or none, unless they are there; then looks at what has become of them. */
async function moveRows(
  from: Home,
  to: Home,
  copied: number | undefined,
  { progress, report, signal }: MoveOptions,
): Promise<Pick<Moved, 'rows' | 'faults'>> {
  const rows =
    copied ??
    (await copyAllRows(from, to, {
      progress: (table, count) => progress(`Copied ${count} rows of ${table}`),
      signal,
    }))
  await using database = await openDatabase(to, report)
  return { rows, faults: await faultsOf(database) }
}

async function faultsOf({ upkeep }: Database): Promise<readonly string[]> {
  const faults: string[] = []
  for await (const { table, id, message } of upkeep.inspect('full')) {
    faults.push(`${table}\t${id}\t${message}`)
  }
  return faults
}
