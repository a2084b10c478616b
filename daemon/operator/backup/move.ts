import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { isMissing } from '../../../core/base/errno.ts'
import {
  copyBlobs,
  copyManifests,
  endUnfinished,
  findLeftBehind,
  findServiceId,
  findUnfinished,
  giveServiceId,
  noteMarked,
  noteUnfinished,
  serviceId,
  wasMarked,
  type Database,
  type LeftBehind,
  type UnfinishedRows,
} from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { copyBeside } from './beside.ts'
import { Directories } from './directories.ts'
import { requireFitTarget } from './fit-target.ts'
import { lockHome } from '../../home/home-lock.ts'
import { prepareHome, type Home } from '../../home/home.ts'
import { describePlace, placeOf } from '../../home/place.ts'
import { copyAllRows, countCopied, openDatabase, schemaState } from '../../stores/open-stores.ts'
import { openBlobs, openManifests, openMarks } from '../../stores/storages.ts'
import { isForAnybody } from '../../stores/marks.ts'
import {
  claimTarget,
  isUsed,
  noteMoved,
  requireClaimable,
  requireOwnStore,
} from '../../stores/store-owner.ts'
import { requireLatestStore } from '../../stores/other-users.ts'
import { requireUnusedStore } from '../../stores/store-use.ts'
import { unfinished } from '../../stores/unfinished-rows.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { commandOf, settingsOf, type Target } from './target.ts'

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
  readonly left: LeftBehind
}

/**
 * Copies rows, bytes and manifests of a home to their new place. Data that exist there are left
 * unchanged. Bytes come first and rows last, all of them or none: so a move that was stopped can be
 * run again. Until the rows are there, a note in their place keeps everybody else out. Where they are
 * there, as an earlier run has copied them, everything else is looked at again.
 *
 * @throws {OperatorFailure} the target has other rows already, or things of others
 */
export async function move(from: Home, target: Target, options: MoveOptions): Promise<Moved> {
  await using stack = new AsyncDisposableStack()
  const { home, takesBytes, takesRows } = target
  await requireMovable(from, target, options)
  await requireFitTarget(from, target)
  await requireFree(from, target, options)
  const isNewHome = home.root !== from.root && (await isEmpty(home.root))
  if (home.root !== from.root) {
    await prepareHome(home.root)
    stack.use(await lockHome(home))
  }
  const { copied, begun } = takesRows
    ? await beginRows(from, target, isNewHome, options)
    : ({} as Begun)
  await takePlace(from, target, begun, options)
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

const none = { blobs: 0, manifests: 0, damaged: [], left: { blobs: 0, manifests: 0 } } as const

/**
 * Demands rows and bytes that are whole, of one service, and not used. Nothing is made.
 *
 * @throws {StartFailure}
 */
async function requireMovable(
  from: Home,
  { home, takesBytes, takesRows }: Target,
  { report }: MoveOptions,
): Promise<void> {
  await using source = await openDatabase(from, report)
  // It may be run again from where everything was, to compare.
  await requireOwnStore(from, source, placeOf(home).storage)
  // With a copy of the rows of a daemon that runs, its bytes would seem to be free afterwards.
  if (!source.isShared || (takesBytes && !takesRows)) {
    await requireUnusedStore(from, 'depositd move')
  }
  await requireLatestStore(from)
}

/**
 * Demands of bytes at the target what they are taken by, before rows are made there.
 *
 * @throws {StartFailure}
 */
async function requireFree(
  from: Home,
  { home, takesBytes, takesRows }: Target,
  { report }: MoveOptions,
): Promise<void> {
  if (!takesBytes || !takesRows || (await hasTables(home))) return
  await using source = await openDatabase(from, report)
  await requireUnusedStore(home, 'depositd move')
  await requireClaimable(home, source)
}

async function isEmpty(root: string): Promise<boolean> {
  try {
    return (await readdir(root)).length === 0
  } catch (error) {
    if (isMissing(error)) return true
    throw error
  }
}

/** A file may be in use: its lock tells so, before it is opened. */
async function hasTables(home: Home): Promise<boolean> {
  if (home.databaseUrl === undefined) return existsSync(home.database)
  return (await schemaState(home)) !== 'none'
}

/** The rows of a target before the bytes are copied. */
interface Begun {
  /** How many an earlier run has copied; undefined where there are none. */
  readonly copied?: number
  /** The note that they are to come. */
  readonly begun?: UnfinishedRows & { readonly isResumed: boolean }
}

/**
 * Makes the tables of the target, where there are none yet, and notes that rows are to come.
 *
 * @throws {OperatorFailure} it has others, or the source has changed since
 * @throws {StartFailure} those of another service are to come
 */
async function beginRows(
  from: Home,
  target: Target,
  isNewHome: boolean,
  { report, signal }: MoveOptions,
): Promise<Begun> {
  const { home } = target
  const there = await lookAt(home, report)
  const { id } = await lookAt(from, report)
  const { earlier } = there
  const isOwn = there.id !== undefined && there.id === id
  const copied = isOwn && !earlier ? await countCopied(from, home, signal) : undefined
  if (copied !== undefined) return { copied }
  if (earlier?.kind === 'move' && earlier.service !== id) throw unfinished(earlier)
  if (there.isUsed || earlier?.kind === 'rebuild') throw hasRows(from, home, isOwn && !earlier)
  // What a run that was stopped has made is not found new again.
  const known = earlier?.kind === 'move' ? earlier.made : []
  const found = await findNew(target, isNewHome || known.includes(home.root))
  const made = [...new Set([...known, ...found])]
  await using source = await openDatabase(from, report)
  await using rows = await openDatabase(home, report)
  const begun = await noteUnfinished(rows, {
    kind: 'move',
    service: await serviceId(source),
    from: describePlace(from),
    command: commandOf(from, home),
    made,
  })
  return { begun: { ...begun, isResumed: earlier !== undefined } }
}

async function lookAt(home: Home, report: MoveOptions['report']) {
  await using database = await openDatabase(home, report)
  return {
    id: await findServiceId(database),
    isUsed: await isUsed(database),
    /** A rebuild or a move that has not ended. */
    earlier: await findUnfinished(database),
  }
}

function hasRows(from: Home, home: Home, isOwn: boolean): OperatorFailure {
  const isServer = home.databaseUrl !== undefined
  const said = `${isServer ? 'The database' : home.root} has rows already`
  if (!isOwn) {
    return new OperatorFailure(`${said}.`, isServer ? advice.useEmptyDatabase() : advice.nameNew())
  }
  const isHere = home.root === from.root
  const emptied = isHere ? `move ${home.database} away, with its -wal` : 'name a new folder'
  return new OperatorFailure(
    `${said} of this service, and they are not as they are here: it was used at one of the two places since.`,
    advice.startWhereUsed(
      settingsOf(from, home),
      isServer ? 'make an empty database for it' : emptied,
    ),
  )
}

/** Places, for a person, that will have nothing but what is brought there. */
async function findNew(
  { home, takesBytes }: Target,
  isNewHome: boolean,
): Promise<readonly string[]> {
  const { database, storage } = placeOf(home)
  const files = isNewHome ? [home.root] : [home.database, `${home.database}-wal`]
  const rows = home.databaseUrl === undefined ? files : [`the database ${database}`]
  if (!takesBytes || home.storageUrl === undefined) return rows
  await using marks = await openMarks(home, false)
  const mark = await marks.read()
  // The bytes of the service may have been there before.
  if (mark && !isForAnybody(mark)) return rows
  const prefix = storage.replace(/\/$/, '')
  return [...rows, ...['blobs/', 'records/', 'service.json'].map((name) => `${prefix}/${name}`)]
}

/** Takes the place of the bytes. Where that is refused, no rows are to come. */
async function takePlace(
  from: Home,
  target: Target,
  begun: Begun['begun'],
  options: MoveOptions,
): Promise<void> {
  try {
    await moveService(from, target, options)
  } catch (error) {
    if (begun && !begun.isResumed) {
      await using rows = await openDatabase(target.home, options.report)
      await endUnfinished(rows, begun)
    }
    throw error
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
  if (takesBytes) {
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
): Promise<Pick<Moved, 'blobs' | 'manifests' | 'damaged' | 'left'>> {
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
  const left = await findLeftBehind({ database: source, blobs: here, manifests: known }, signal)
  return { blobs, manifests, damaged, left }
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
