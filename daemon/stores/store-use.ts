import {
  findServiceId,
  noteMarked,
  serviceId,
  type Database,
  type StoreMarks,
  type StoreUser,
} from '../../core/index.ts'
import { advice } from '../advice.ts'
import { daemonName, type Home } from '../home/home.ts'
import { placeOf } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { openMarks } from './storages.ts'
import { isForAnybody, markOf, requireBytes, requireOwn, whereabouts } from './store-owner.ts'

/** Time between two signs of life, and time after which who gave the last is gone. Milliseconds. */
const renewMs = 60_000
const goneMs = 180_000
/** Signs of life that a crash left are removed when they are so old. Milliseconds. */
const forgetMs = 86_400_000

/** A store that this process says it uses, until it is disposed of. */
export interface StoreInUse extends AsyncDisposable {
  /** Resolves with a message when the store was taken over by another service. */
  readonly lost: Promise<string>
}

/**
 * Says that a daemon uses the bytes of a home, again and again: who wants to take them over sees it.
 * The mark is read after the first time, so either sees the other.
 *
 * @throws {StartFailure} the bytes are another service's, or in use with a copy of the rows
 */
export async function useStore(
  home: Home,
  database: Database,
  report: (error: unknown) => void,
  everyMs = renewMs,
): Promise<StoreInUse> {
  const own = await findServiceId(database)
  let isAlone = database.isShared
  const program = 'depositd'
  return keepUsing(home, { report, everyMs, program }, async (marks, { daemon }) => {
    const mark = await marks.read()
    const judged = { home, database, marks }
    if (mark && !isForAnybody(mark)) await requireOwn(mark, own, judged)
    else if (own !== undefined && marks.uses) {
      // An operator may have removed it: this service still has the store, if that has its bytes.
      if (!mark) await requireBytes(judged, false)
      await marks.write(markOf(home, own), { isNew: !mark })
    }
    // Rows in a file are those of one home: another one has a copy of them, which misses changes.
    if (!isAlone) await requireUnused(home, marks, daemon)
    isAlone = true
  })
}

/**
 * Takes the bytes of a home over for new rows, those of their service being lost.
 *
 * @throws {StartFailure} a daemon uses them: nothing was changed
 */
export async function takeStore(
  home: Home,
  database: Database,
  report: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const own = markOf(home, await serviceId(database))
  let isTaken = false
  const program = 'depositd rebuild'
  return keepUsing(home, { report, everyMs: renewMs, program }, async (marks) => {
    if (isTaken) return
    const before = await marks.read()
    await requireUnused(home, marks)
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
 * Demands that no process uses the bytes of a home that others can reach.
 *
 * @param but a daemon that may have crashed, and starts again
 * @throws {StartFailure}
 */
async function requireUnused(home: Home, { uses }: StoreMarks, but?: string): Promise<void> {
  const [latest] = ((await uses?.others()) ?? [])
    .filter(({ ageMs, daemon }) => ageMs < goneMs && daemon !== but)
    .toSorted((one, other) => one.ageMs - other.ageMs)
  if (!latest) return
  const seen = `${Math.max(0, Math.round(latest.ageMs / 1000))} s ago`
  const said = `The bytes in ${placeOf(home).storage} are in use: by ${latest.program} on ${latest.host} with the home ${latest.home}, which was seen ${seen}.`
  const restS = Math.ceil((goneMs - latest.ageMs) / 1000)
  throw new StartFailure('busy', said, {
    next: advice.stopThere(restS, latest.program === 'depositd' ? 'daemon' : 'command'),
  })
}

/**
 * Demands that no process uses a store that a service is moved to or from. The home is locked: a
 * process of its own that seems to be there has crashed.
 *
 * @throws {StartFailure}
 */
export async function requireUnusedStore(home: Home): Promise<void> {
  await using marks = await openMarks(home)
  if (!marks.uses) return
  const user = await userAt(home, 'depositd move')
  await marks.uses.renew(user)
  try {
    await requireUnused(home, marks, user.daemon)
  } finally {
    await marks.uses.end()
  }
}

interface Renewal {
  readonly report: (error: unknown) => void
  readonly everyMs: number
  /** Name of the program that uses the store, as an operator calls it. */
  readonly program: string
}

/** @param check is called each time after the sign of life; where it refuses, the store is lost */
async function keepUsing(
  home: Home,
  { report, everyMs, program }: Renewal,
  check: (marks: StoreMarks, user: StoreUser) => Promise<void>,
): Promise<StoreInUse> {
  await using stack = new AsyncDisposableStack()
  const marks = stack.use(await openMarks(home))
  const user = await userAt(home, program)
  const renew = async (): Promise<void> => {
    await marks.uses?.renew(user)
    await check(marks, user)
  }
  stack.defer(async () => {
    // On a store that is away it grows old by itself.
    await marks.uses?.end().catch(report)
  })
  await renew()
  let tell = (_message: string): void => {}
  const lost = new Promise<string>((resolve) => (tell = resolve))
  let renewing = Promise.resolve()
  let hasForgotten = false
  const again = async (): Promise<void> => {
    try {
      await renew()
      if (!hasForgotten) await marks.uses?.forget(forgetMs)
      hasForgotten = true
    } catch (error) {
      if (error instanceof StartFailure) tell(error.message)
      else report(error)
    }
  }
  if (marks.uses) {
    const timer = setInterval(() => {
      renewing = renewing.then(again)
    }, everyMs)
    timer.unref()
    stack.defer(async () => {
      clearInterval(timer)
      await renewing
    })
  }
  const owned = stack.move()
  return { lost, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function userAt(home: Home, program: string): Promise<StoreUser> {
  return { ...whereabouts(home), daemon: await daemonName(home), program }
}
