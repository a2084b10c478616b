import { hostname } from 'node:os'
import {
  findServiceId,
  serviceId,
  systemClock,
  type BlobStore,
  type Database,
  type ServiceMark,
  type StoreMarks,
  type StoreUser,
  type Whereabouts,
} from '../../core/index.ts'
import { advice } from '../advice.ts'
import { daemonName, type Home } from '../home/home.ts'
import { placeOf } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { openBlobs, openManifests, openMarks, type BlobOptions } from './storages.ts'

/** Time between two signs of life, and time after which who gave the last is gone. Milliseconds. */
const renewMs = 60_000
const goneMs = 180_000
/** Signs of life that a crash left are removed when they are so old. Milliseconds. */
const forgetMs = 86_400_000

/**
 * The bytes of a home, as all commands and daemons open them.
 *
 * @param options `claims` marks a store that has no mark
 * @throws {StartFailure} they are another service's, or the rows are new and the bytes are not
 */
export async function openOwnBlobs(
  home: Home,
  { claims = false, ...options }: BlobOptions & { readonly claims?: boolean },
): Promise<BlobStore> {
  await requireOwnStore(home, options.database, { claims })
  return openBlobs(home, options)
}

/**
 * Demands that the bytes of a home are those of the service that the rows are of: another one's would
 * be garbage to it. Rows of several daemons have one id, and so do copies of them.
 *
 * @param claims marks a store that has no mark
 * @throws {StartFailure} they are another service's, or the rows are new and the bytes are not
 */
export async function requireOwnStore(
  home: Home,
  database: Database,
  { claims }: { readonly claims: boolean },
): Promise<void> {
  await using marks = await openMarks(home)
  const mark = await marks.read()
  if (mark) {
    await requireOwn(mark, await findServiceId(database), { home, database, marks })
    return
  }
  await requireNoRecords(home, database)
  if (!claims || !database.isWritable()) return
  const own = markOf(home, await serviceId(database))
  if (await marks.write(own, { isNew: true })) return
  const found = await marks.read()
  if (found) await requireOwn(found, own.service, { home, database, marks })
}

interface Judged {
  readonly home: Home
  readonly database: Database
  readonly marks: StoreMarks
}

async function requireOwn(
  mark: ServiceMark,
  own: string | undefined,
  { home, database, marks }: Judged,
): Promise<void> {
  if (mark.service === own) return
  const said = `The bytes in ${placeOf(home).storage} are those of ${describe(mark)}.`
  const next = (await isUsed(database)) ? advice.useOneService(marks.name) : advice.rebuildThere()
  throw new StartFailure('config', said, { next })
}

/** Bytes from before there were marks, beside rows that were just made. */
async function requireNoRecords(home: Home, database: Database): Promise<void> {
  if (await isUsed(database)) return
  await using manifests = await openManifests(home)
  for await (const name of manifests.list()) {
    if ('strange' in name) continue
    const said = `There are records in ${placeOf(home).storage}, and none in the database.`
    throw new StartFailure('config', said, { next: advice.rebuildThere() })
  }
}

/** Whether a service has begun to use the rows. */
export async function isUsed({ read }: Database): Promise<boolean> {
  return (await read.accounts.list()).length > 0 || (await read.records.count()) > 0
}

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
  return keepUsing(home, { report, everyMs }, async (marks, { daemon }) => {
    const mark = await marks.read()
    if (mark) await requireOwn(mark, own, { home, database, marks })
    // An operator may have removed it: this service still has the store.
    else if (own !== undefined) await marks.write(markOf(home, own), { isNew: true })
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
  return keepUsing(home, { report, everyMs: renewMs }, async (marks) => {
    if (isTaken) return
    const before = await marks.read()
    await requireUnused(home, marks)
    await marks.write(own)
    try {
      // A daemon that has begun in between either is seen now, or has seen the new mark.
      await requireUnused(home, marks)
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
  const said = `The bytes in ${placeOf(home).storage} are in use: by depositd on ${latest.host} with the home ${latest.home}, which was seen ${seen}.`
  const restS = Math.ceil((goneMs - latest.ageMs) / 1000)
  throw new StartFailure('busy', said, { next: advice.stopThere(restS) })
}

/** Demands of a store that a service is to be moved to that nobody uses it. @throws {StartFailure} */
export async function requireUnusedStore(home: Home): Promise<void> {
  await using marks = await openMarks(home)
  if (!marks.uses) return
  await marks.uses.renew(await userAt(home))
  try {
    await requireUnused(home, marks)
  } finally {
    await marks.uses.end()
  }
}

interface Renewal {
  readonly report: (error: unknown) => void
  readonly everyMs: number
}

/** @param check is called each time after the sign of life; where it refuses, the store is lost */
async function keepUsing(
  home: Home,
  { report, everyMs }: Renewal,
  check: (marks: StoreMarks, user: StoreUser) => Promise<void>,
): Promise<StoreInUse> {
  await using stack = new AsyncDisposableStack()
  const marks = stack.use(await openMarks(home))
  const user = await userAt(home)
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

function markOf(home: Home, service: string): ServiceMark {
  return { service, since: systemClock.now(), ...whereabouts(home) }
}

function whereabouts({ root }: Home): Whereabouts {
  return { host: hostname(), home: root }
}

async function userAt(home: Home): Promise<StoreUser> {
  return { ...whereabouts(home), daemon: await daemonName(home) }
}

function describe({ service, since, host, home }: ServiceMark): string {
  return `the service ${service.slice(0, 8)}, since ${since} (${home} on ${host})`
}
