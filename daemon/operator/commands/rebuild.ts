import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  endUnfinished,
  findUnfinished,
  noteUnfinished,
  rebuild as rebuildRows,
  stateOf,
  type Database,
  type UnfinishedRows,
} from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { openDatabase, openReaders, schemaState } from '../../stores/open-stores.ts'
import { openBlobs, openManifests, openMarks } from '../../stores/storages.ts'
import { requireItsFolder } from '../../stores/folder-faults.ts'
import { isUsed } from '../../stores/store-owner.ts'
import { requireUnusedStore, takeStore } from '../../stores/store-use.ts'
import { unfinished } from '../../stores/unfinished-rows.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { count, formatBytes } from '../../../core/base/amounts.ts'
import { kindOf } from '../../../core/packages/ocfl/check-root.ts'
import { importRoot } from '../ocfl/import-root.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { lockForReading } from '../../home/home-lock.ts'
import type { Home } from '../../home/home.ts'
import { describePlace } from '../../home/place.ts'
import { requireWritableFolders } from '../../home/writable-folders.ts'
import { StartFailure } from '../../start-failure.ts'
import type { OfflineWork, OperatorCommand, Options } from '../command/operator-command.ts'

/**
 * `depositd rebuild`: where the database is lost, from the manifests beside it; with `--from-ocfl`,
 * from a storage root, whose bytes and manifests are brought into the home before.
 */
const rebuild: OfflineWork = async (home, { fromOcfl }, voice) => {
  const { tell } = voice
  if (fromOcfl === undefined && !(await isReplaceable(home))) {
    throw new OperatorFailure(`${home.database} is there.`, advice.moveDatabaseAway())
  }
  await requireItsFolder(home)
  await using stack = new AsyncDisposableStack()
  const report = (error: unknown): void => tell('note', String(error))
  const database = stack.use(await openDatabase(home, report))
  const root = fromOcfl === undefined ? undefined : resolve(fromOcfl)
  const begun = await begin(home, database, root)
  // Those of drafts are set aside: a service that uses them would lose them.
  stack.use(await take(home, database, begun, report))
  if (begun.isResumed) tell('note', 'Resuming a rebuild that has not ended.')
  const blobs = stack.use(await openBlobs(home, { database, report }))
  const manifests = stack.use(await openManifests(home))
  const told = { lost: [] as string[], foreign: [] as string[] }
  const collect = (messages: string[]) => (message: string) => {
    messages.push(message)
    tell('result', message)
  }
  const [onLost, onForeign] = [collect(told.lost), collect(told.foreign)]
  if (root !== undefined) {
    const progress = everySecond((objects: number, bytes: number) =>
      tell('progress', `Read ${count(objects, 'object')}, ${formatBytes(bytes)}`),
    )
    const { signal } = voice
    const heard = { lost: onLost, foreign: onForeign, progress, signal }
    await importRoot(root, { blobs, manifests }, heard)
  }
  const rebuilt = await rebuildRows({ database, blobs, manifests }, onLost)
  await endUnfinished(database, begun)
  const { records, revisions, files, setAside } = rebuilt
  const made = `${count(records, 'record')}, ${count(revisions, 'revision')}, ${count(files, 'file')}`
  tell('note', `Rebuilt ${made} in ${describePlace(home)}.`)
  if (setAside > 0) tell('note', sayAside(setAside))
  tell('note', `Drafts, tokens and administrators are not in manifests. ${advice.makeAgain()}`)
  return {
    ending: told.lost.length > 0 ? 'failed' : 'done',
    data: { records, revisions, files, setAside, ...told },
  }
}

type Begun = Extract<UnfinishedRows, { kind: 'rebuild' }> & { readonly isResumed: boolean }

/**
 * Notes in the rows that they are being made, until all of them are there and the bytes of drafts
 * are set aside. Everything else refuses them so long.
 *
 * @throws {OperatorFailure} there are rows of a service
 * @throws {StartFailure} an earlier run took the records from somewhere else, or they are being moved here
 */
async function begin(home: Home, database: Database, root: string | undefined): Promise<Begun> {
  const earlier = await findUnfinished(database)
  if (earlier && (earlier.kind !== 'rebuild' || earlier.root !== root)) throw unfinished(earlier)
  if (!earlier && (await isUsed(database))) {
    const isElsewhere = home.databaseUrl !== undefined
    const next = isElsewhere ? advice.useEmptyDatabase() : advice.moveDatabaseAway()
    throw new OperatorFailure('The database has rows already.', next)
  }
  const before = earlier ? earlier.before : await stateOfBytes(home)
  const from = { ...(root !== undefined && { root }), ...(before !== undefined && { before }) }
  const work = { kind: 'rebuild', ...from } as const
  const { run } = await noteUnfinished(database, work)
  return { ...work, run, isResumed: earlier !== undefined }
}

async function stateOfBytes(home: Home): Promise<string> {
  await using marks = await openMarks(home, false)
  return stateOf(await marks.read())
}

/** Takes the bytes. Where that is refused, the rows are left as they were. */
async function take(
  home: Home,
  database: Database,
  begun: Begun,
  report: (error: unknown) => void,
): Promise<AsyncDisposable> {
  try {
    return await takeStore(home, database, begun, report)
  } catch (error) {
    if (!begun.isResumed) await endUnfinished(database, begun)
    throw error
  }
}

/** A manifest is written after the answer: a crash in between, and its record looks like a draft. */
function sayAside(files: number): string {
  const said = `Set ${count(files, 'file')} without a manifest aside in quarantine`
  return `${said}: of drafts, or of records published in the last moments before a crash.`
}

/** Whether the file of the rows is missing, or one that a start or a command which was refused has made. */
async function isReplaceable(home: Home): Promise<boolean> {
  if (home.databaseUrl !== undefined || !existsSync(home.database)) return true
  const state = await schemaState(home).catch(() => undefined)
  return state === 'none' || state === 'current'
}

/**
 * Everything that a rebuild may be refused for before it makes a home or rows.
 *
 * @throws {StartFailure}
 */
async function requireRebuildable(home: Home, { fromOcfl }: Options): Promise<void> {
  using _ = await lockForReading(home)
  await requireNoMove(home)
  await requireWritableFolders(home)
  if (fromOcfl === undefined) await requireManifests(home)
  else await requireRoot(resolve(fromOcfl))
  await requireUnusedStore(home, 'depositd rebuild', false)
}

/** @throws {StartFailure} the rows are being moved here: they come from somewhere else */
async function requireNoMove(home: Home): Promise<void> {
  const state = schemaState(home)
  // A file that is damaged is to be moved away, which the rebuild itself says.
  const known = home.databaseUrl === undefined ? state.catch(() => 'none') : state
  if ((await known) !== 'current') return
  await using rows = await openReaders(home)
  const earlier = await findUnfinished(rows)
  if (earlier?.kind === 'move') throw unfinished(earlier)
}

/** @throws {StartFailure} there is nothing to make a database of: most likely another home is meant */
async function requireManifests(home: Home): Promise<void> {
  await using manifests = await openManifests(home)
  for await (const name of manifests.list()) if (!('strange' in name)) return
  const said = `There are no manifests of records in ${describePlace(home)}.`
  throw new StartFailure('no_input', said, { next: advice.findManifests() })
}

/** @throws {StartFailure} the folder is no storage root */
async function requireRoot(root: string): Promise<void> {
  if ((await kindOf(root)) === 'root') return
  const said = `${root} is not a storage root of OCFL: it has no file 0=ocfl_1.1.`
  throw new StartFailure('no_input', said, { next: advice.findRoot() })
}

export const rebuildCommand: OperatorCommand = {
  name: 'rebuild',
  requires: requireRebuildable,
  summary: 'rebuild a lost database from the manifests of published records',
  options: [
    {
      flags: '--from-ocfl <folder>',
      summary: 'make a new service from a storage root that export-ocfl wrote',
    },
  ],
  makesHome: true,
  kind: 'alone',
  run: rebuild,
}
