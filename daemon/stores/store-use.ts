import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import {
  findServiceId,
  noteMarked,
  serviceId,
  systemClock,
  wasMarked,
  type Database,
  type StoreMarks,
  type StoreUse,
  type StoreUser,
} from '../../core/index.ts'
import { daemonName, type Home } from '../home/home.ts'
import { knownRuns, noteRuns } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import {
  goneMs,
  requireCrashed,
  requireLatest,
  requireNotTaken,
  requireRowsOnServer,
  requireUnused,
} from './other-users.ts'
import { useFolder, type Told } from './folder-use.ts'
import { openMarks } from './storages.ts'
import { isForAnybody, markOf, whereabouts } from './marks.ts'
import { requireBytes, requireOwn } from './store-owner.ts'

/** Time between two signs of life. Milliseconds. */
const renewMs = 60_000
/** Looks, between two signs of life, for those of daemons that seem to have crashed. */
const looks = 12
/** Signs of life that a crash left are removed when they are so old. Milliseconds. */
const forgetMs = 86_400_000
/** Longest time that a store which is lost is told so. Milliseconds. */
const partingMs = 2000

/** In the mark, in place of the id of a process: homes with rows of their own know no such process. */
const onServer = 'server'

/** A store that this process says it uses, until it is disposed of. */
export interface StoreInUse extends AsyncDisposable {
  /** Resolves when another service has taken the store over, or a daemon uses it with a copy of the rows. */
  readonly lost: Promise<StartFailure>
}

/**
 * Says that a daemon uses the bytes of a home, again and again: who wants to take them over sees it.
 * The mark is read after the first time, so either sees the other.
 *
 * Rows in a file are those of one home: another one has a copy of them, which misses changes. A
 * copied home is told from its original by the processes that it does not know. One that it knows has
 * crashed, or the copy was made while it ran: if it gives a further sign of life, this daemon ends.
 * The mark names the process that used the bytes last. A home that does not know it has older rows.
 *
 * @throws {StartFailure} the bytes are another service's, in use with a copy of the rows, or were used
 *   with newer ones
 */
export async function useStore(
  home: Home,
  database: Database,
  told: Told,
  everyMs = renewMs,
): Promise<StoreInUse> {
  const own = await findServiceId(database)
  if (home.storageUrl === undefined && own !== undefined && !database.isShared)
    return useFolder(home, own, told)
  const isBeside = database.isShared && home.storageUrl !== undefined
  const isShared = database.isShared || home.storageUrl === undefined
  const { run, known } = isShared ? { run: '', known: [] } : await beginRun(home)
  let [renewed, crashed]: [number, readonly StoreUse[]] = [-Infinity, []]
  const check = async (marks: StoreMarks, { daemon }: StoreUser): Promise<void> => {
    const mark = await marks.read()
    const judged = { home, database, marks }
    if (mark && !isForAnybody(mark)) await requireOwn(mark, own, judged)
    else if (own !== undefined && marks.uses) {
      // An operator may have removed it: this service still has the store, if that has its bytes.
      if (!mark) await requireBytes(judged, false)
      await marks.write(markOf(home, own), { isNew: !mark })
    }
    if (isBeside && renewed === -Infinity) await requireRowsOnServer(home, marks)
    if (isBeside) await noteLast(home, marks, own, onServer)
    const now = performance.now()
    if (isShared) {
      renewed = now
      return
    }
    // Where this process was silent for so long, a daemon of another home may have begun.
    if (now - renewed > goneMs) {
      crashed = await requireUnused(home, marks, { daemon, runs: known })
      requireLatest(home, marks, mark, renewed === -Infinity ? known : [...known, run])
    }
    renewed = now
    await noteLast(home, marks, own, run)
  }
  const look = async (marks: StoreMarks): Promise<void> => {
    if (crashed.length === 0) return
    crashed = await requireCrashed(home, marks, crashed)
  }
  try {
    return await keepUsing(home, { ...told, everyMs, program: 'depositd', run, look }, check)
  } catch (error) {
    // One that was refused has used nothing: it is no reason to know others, or to forget them.
    if (!isShared && error instanceof StartFailure) await noteRuns(home, known).catch(() => {})
    throw error
  }
}

/**
 * Notes in the mark that a process uses the store, unless it says so. A copy that was made while the
 * process ran may have written there before it saw that.
 */
async function noteLast(
  home: Home,
  marks: StoreMarks,
  own: string | undefined,
  run: string,
): Promise<void> {
  const mark = await marks.read()
  if (!mark || mark.service !== own || run === '' || mark.last?.run === run) return
  const last = { run, since: systemClock.now(), ...whereabouts(home) }
  await marks.write({ ...mark, last })
}

/** Notes in the home that a process begins there, before others see it. */
async function beginRun(
  home: Home,
): Promise<{ readonly run: string; readonly known: readonly string[] }> {
  const known = await knownRuns(home)
  const run = randomUUID()
  try {
    await noteRuns(home, [...known, run])
    return { run, known }
  } catch {
    // On a disk without room: the next start has to know it all the same.
    return { run: known.at(-1) ?? '', known }
  }
}

/** A rebuild that takes the bytes of a home. */
export interface Taking {
  /** Whether an earlier run of it may have taken them. */
  readonly isResumed: boolean
  /** The storage root that its records come from. */
  readonly root?: string
  /** The state of the bytes when it began. */
  readonly before?: string
}

/**
 * Takes the bytes of a home over for new rows, those of their service being lost.
 *
 * @throws {StartFailure} a daemon uses them, or another service has them since the rebuild began:
 *   nothing was changed
 */
export async function takeStore(
  home: Home,
  database: Database,
  taking: Taking,
  report: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const own = markOf(home, await serviceId(database))
  let isTaken = false
  const program = 'depositd rebuild'
  return keepUsing(home, { report, everyMs: renewMs, program }, async (marks) => {
    if (isTaken) return
    const before = await marks.read()
    await requireUnused(home, marks)
    // An earlier version noted no state: it is known alone whether that run took the bytes.
    const isTold = taking.before !== undefined || (await wasMarked(database))
    if (taking.isResumed && isTold) requireNotTaken(home, before, own.service, taking)
    await marks.write(own)
    try {
      // A daemon that has begun in between either is seen now, or has seen the new mark.
      await requireUnused(home, marks)
      await noteMarked(database)
      isTaken = true
    } catch (error) {
      await (before ? marks.write(before) : marks.remove())
      throw error
    }
  })
}

/**
 * Demands that no process uses a store that a service is moved to or from, or that a command changes
 * with rows that are those of one home. The home is locked, or is not there yet. Nothing is made.
 *
 * @param program the command, as an operator calls it
 * @param forgives whether a process of the home itself that seems to be there has crashed
 * @throws {StartFailure}
 */
export async function requireUnusedStore(
  home: Home,
  program: string,
  forgives = true,
): Promise<void> {
  if (home.storageUrl === undefined) return
  await using marks = await openMarks(home, false)
  if (!marks.uses) return
  // A home without a key has had no process yet.
  const daemon = existsSync(home.ownerKey) ? await daemonName(home) : randomUUID()
  await marks.uses.renew({ ...whereabouts(home), daemon, program, run: '' })
  try {
    const own = forgives ? { daemon, runs: await knownRuns(home) } : undefined
    await requireUnused(home, marks, own)
  } finally {
    await marks.uses.end()
  }
}

interface Renewal {
  readonly report: (error: unknown) => void
  readonly everyMs: number
  /** Name of the program that uses the store, as an operator calls it. */
  readonly program: string
  readonly run?: string
  /** Called more often than the check, which it is like. */
  readonly look?: (marks: StoreMarks) => Promise<void>
}

/** @param check is called each time after the sign of life; where it refuses, the store is lost */
async function keepUsing(
  home: Home,
  { report, everyMs, program, run, look }: Renewal,
  check: (marks: StoreMarks, user: StoreUser) => Promise<void>,
): Promise<StoreInUse> {
  await using stack = new AsyncDisposableStack()
  const marks = stack.use(await openMarks(home))
  const user = await userAt(home, program, run)
  const renew = async (): Promise<void> => {
    await marks.uses?.renew(user)
    await check(marks, user)
  }
  stack.defer(async () => {
    // On a store that is away it grows old by itself.
    await marks.uses?.end().catch(report)
  })
  await renew()
  let tell = (_failure: StartFailure): void => {}
  const lost = new Promise<StartFailure>((resolve) => (tell = resolve))
  let working = Promise.resolve()
  let [hasForgotten, isLost] = [false, false]
  const renewAgain = async (): Promise<void> => {
    await renew()
    if (!hasForgotten) await marks.uses?.forget(forgetMs)
    hasForgotten = true
  }
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isLost) return
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StartFailure)) {
        report(error)
        return
      }
      isLost = true
      // The other one is not to meet this one at its next start. Who is told ends the process.
      await Promise.race([marks.uses?.end().catch(report), setTimeout(partingMs)])
      tell(error)
    }
  }
  const repeat = (work: () => Promise<void>, ms: number): void => {
    const timer = setInterval(() => {
      working = working.then(() => attempt(work))
    }, ms)
    timer.unref()
    stack.defer(async () => {
      clearInterval(timer)
      await working
    })
  }
  if (marks.uses) repeat(renewAgain, everyMs)
  if (marks.uses && look) repeat(() => look(marks), everyMs / looks)
  const owned = stack.move()
  return { lost, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function userAt(home: Home, program: string, run = ''): Promise<StoreUser> {
  return { ...whereabouts(home), daemon: await daemonName(home), program, run }
}
