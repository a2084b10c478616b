import { hostname } from 'node:os'
import { stateOf, type ServiceMark, type StoreMarks, type StoreUse } from '../../core/index.ts'
import { advice } from '../advice.ts'
import { isUsedByAnother } from '../home/home-lock.ts'
import type { Home } from '../home/home.ts'
import { knownRuns, noteRuns, placeOf } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { openMarks } from './storages.ts'
import { describeMark, isForAnybody, stepOf } from './marks.ts'
import { requireFolderUnused } from './folder-use.ts'
import { requireLatestRows } from './last-folder.ts'

/** Time after which a process that gave a sign of life is gone. Milliseconds. */
export const goneMs = 180_000

/** The processes of a home, as far as it knows them. */
interface OwnRuns {
  readonly daemon: string
  readonly runs: readonly string[]
}

/**
 * Demands that no process uses the bytes of a home that others can reach.
 *
 * @param own processes that may have crashed: the home is locked
 * @returns those that seem to have crashed
 * @throws {StartFailure}
 */
export async function requireUnused(
  home: Home,
  { uses }: StoreMarks,
  own?: OwnRuns,
): Promise<readonly StoreUse[]> {
  const seen = ((await uses?.others()) ?? []).filter(({ ageMs }) => ageMs < goneMs)
  const crashed: StoreUse[] = []
  const living: StoreUse[] = []
  for (const use of seen) {
    const isCrashed = isOwn(use, own) && !(await livesHere(use, home))
    ;(isCrashed ? crashed : living).push(use)
  }
  const [latest] = living.toSorted((one, other) => one.ageMs - other.ageMs)
  if (!latest) return crashed
  throw inUse(home, latest, latest.daemon === own?.daemon)
}

/**
 * Demands that no process with rows in a home uses the bytes, where the rows are on a server: its rows
 * are older ones, from before they were moved there.
 *
 * @throws {StartFailure}
 */
export async function requireRowsOnServer(home: Home, { uses }: StoreMarks): Promise<void> {
  const others = (await uses?.others()) ?? []
  const living = others.find(({ ageMs, run }) => ageMs < goneMs && run !== '')
  if (living) throw inUse(home, living, false)
}

/**
 * Demands that none of the processes that seemed to have crashed has given a further sign of life.
 *
 * @returns those that may still give one
 * @throws {StartFailure} one has: this home, which knows it, is a copy of its home
 */
export async function requireCrashed(
  home: Home,
  { uses }: StoreMarks,
  crashed: readonly StoreUse[],
): Promise<readonly StoreUse[]> {
  const before = new Map(crashed.map(({ id, seen }) => [id, seen]))
  const still = ((await uses?.others()) ?? []).filter(({ id }) => before.has(id))
  const living = still.find(({ id, seen }) => seen !== before.get(id))
  if (!living) return still.filter(({ ageMs }) => ageMs < goneMs)
  // So the next start is refused at once. Without room on the disk it finds out again.
  const known = await knownRuns(home)
  await noteRuns(
    home,
    known.filter((run) => run !== living.run),
  ).catch(() => {})
  throw inUse(home, living, true)
}

/**
 * Demands that the daemon which used the bytes last is one that the home knows. Else the rows here are
 * older than the bytes: of a home that was copied before, or brought back from a backup.
 *
 * @param runs those that it knows; none where an earlier version used it, or it is a new home
 * @throws {StartFailure}
 */
export function requireLatest(
  home: Home,
  marks: StoreMarks,
  mark: ServiceMark | undefined,
  runs: readonly string[],
): void {
  const last = mark?.last
  if (!last || runs.length === 0 || runs.includes(last.run)) return
  const { storage } = placeOf(home)
  const said = `The rows here are older than the bytes in ${storage}: those were last used since ${last.since} on ${last.host} with the home ${last.home}, and ${home.root} does not know of it.`
  throw new StartFailure('config', said, { next: advice.useLatestHome(stepOf(marks)) })
}

/** The same for a store that is not open, and for a folder; nothing is made. @throws {StartFailure} */
export async function requireLatestStore(home: Home): Promise<void> {
  if (home.databaseUrl !== undefined) return
  await using marks = await openMarks(home, false)
  const mark = await marks.read()
  if (home.storageUrl !== undefined) requireLatest(home, marks, mark, await knownRuns(home))
  else {
    await requireFolderUnused(home)
    if (!mark || !isForAnybody(mark)) await requireLatestRows(home)
  }
}

/**
 * Demands that no other service has taken the bytes over since a rebuild began that is resumed. An earlier run of
 * it may have taken them. No daemon serves its rows before it ends, so one that used them since has others.
 *
 * @param own id of the service that it makes
 * @throws {StartFailure}
 */
export function requireNotTaken(
  home: Home,
  mark: ServiceMark | undefined,
  own: string,
  { root, before }: { readonly root?: string; readonly before?: string },
): void {
  if (!mark || isForAnybody(mark)) return
  const { service, last } = mark
  if (service === own ? last === undefined : stateOf(mark) === before) return
  const taken = last
    ? `last used since ${last.since} on ${last.host} with the home ${last.home}`
    : `taken over by ${describeMark(mark)}`
  const said = `This rebuild has not ended, and the bytes in ${placeOf(home).storage} were ${taken}.`
  throw new StartFailure('config', said, { next: advice.rebuildFromStart(kindOfPlace(home), root) })
}

/** By it advice tells how to have empty rows beside those that are there. */
export function kindOfPlace({ databaseUrl, storageUrl }: Home): 'folder' | 'bucket' | 'server' {
  if (databaseUrl !== undefined) return 'server'
  return storageUrl === undefined ? 'folder' : 'bucket'
}

/** Whether a process is one of a home, or of a copy of the home, by what the home knows. */
function isOwn({ daemon, run }: StoreUse, own: OwnRuns | undefined): boolean {
  if (!own || daemon !== own.daemon) return false
  // Earlier versions did not tell, and an operator may have removed what the home knew.
  return run === '' || own.runs.length === 0 || own.runs.includes(run)
}

/** Whether a process is one of this machine that runs, with another home. */
async function livesHere({ host, home: root }: StoreUse, home: Home): Promise<boolean> {
  return host === hostname() && (await isUsedByAnother(root, home))
}

function inUse(home: Home, use: StoreUse, isCopy: boolean): StartFailure {
  const seen = `${Math.max(0, Math.round(use.ageMs / 1000))} s ago`
  const said = `The bytes in ${placeOf(home).storage} are in use: by ${use.program} on ${use.host} with the home ${use.home}, which was seen ${seen}.`
  const copy = isCopy ? ' One of the two homes is a copy of the other.' : ''
  const restS = Math.ceil((goneMs - use.ageMs) / 1000)
  return new StartFailure('busy', `${said}${copy}`, {
    next: advice.stopThere(restS, use.program === 'depositd' ? 'daemon' : 'command'),
  })
}
