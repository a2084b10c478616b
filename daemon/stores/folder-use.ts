import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { idsOf, readFolderMark, turnOf } from '../../core/adapters/blobs/folder-mark.ts'
import { fileIdentity } from '../../core/base/file-identity.ts'
import { commitChannel, type ServiceMark } from '../../core/index.ts'
import { advice } from '../advice.ts'
import { isUsedByAnother } from '../home/home-lock.ts'
import type { Home } from '../home/home.ts'
import { knownFolders } from '../home/place.ts'
import { StartFailure } from '../start-failure.ts'
import { beginTurn, lastUser, markFolder } from './last-folder.ts'

/** Time between two looks at the mark. Milliseconds. */
const lookMs = 5000
/** Shortest time of a turn. Milliseconds. */
const leastTurnMs = 60_000

/**
 * Demands that no process of another home on this machine uses the folder of blobs: that of which the
 * home is a copy, where the same disk is mounted in both.
 *
 * @throws {StartFailure}
 */
export async function requireFolderUnused(home: Home): Promise<void> {
  if (home.storageUrl !== undefined) return
  const user = await lastUser(home)
  if (user?.home === undefined || user.host !== hostname() || user.home === home.root) return
  const [there, here] = await Promise.all([join(user.home, 'blobs'), home.blobs].map(fileIdentity))
  if (there === undefined || there !== here) return
  if (await isUsedByAnother(user.home, home)) throw inUse(home, user)
}

/** What is not an answer to a caller. */
export interface Told {
  readonly report: (error: unknown) => void
  readonly notice: (text: string) => void
}

/** A folder of blobs that this process watches until it is disposed of. */
export interface FolderInUse extends AsyncDisposable {
  /** Resolves when it is known that a daemon which began earlier uses it with another home. */
  readonly lost: Promise<StartFailure>
}

/**
 * Watches whether another daemon uses the folder of blobs as well, such as one of another machine with a
 * copy of the home: to either, what the other stores is garbage. The one that began earlier writes its
 * id into the mark again, and the later one ends when it sees that.
 *
 * After changes it begins a new turn of the folder, so that a snapshot of the home or of the folder that
 * was made before is known to be older.
 *
 * @param service id of the service
 * @param told `report` of failures to look, which end nothing; `notice` of another daemon
 */
export async function useFolder(
  home: Home,
  service: string,
  told: Told,
  { everyMs = lookMs, turnMs = leastTurnMs }: { everyMs?: number; turnMs?: number } = {},
): Promise<FolderInUse> {
  let own = (await knownFolders(home)).at(-1) ?? ''
  const first = turnOf(own).start
  const starts = new Set([first])
  let [hasChanged, turned] = [false, performance.now()]
  const change = (): void => {
    hasChanged = true
  }
  const turn = async (): Promise<void> => {
    hasChanged = false
    turned = performance.now()
    try {
      own = await beginTurn(home, own)
    } catch {
      // On a full disk, or one that is away: the next look tries again.
      hasChanged = true
    }
  }
  const look = async (): Promise<StartFailure | undefined> => {
    const mark = await readFolderMark(home.blobs)
    const there = idsOf(mark).map((id) => turnOf(id).start)
    // Without one of ours it is another folder, which is told where files are looked for.
    if (!there.some((start) => starts.has(start))) return undefined
    if (starts.has(there.at(-1) ?? '')) {
      if (hasChanged && performance.now() - turned >= turnMs) await turn()
      return undefined
    }
    const earlier = there.findIndex((start) => start === mark.earlier)
    const user = await lastUser(home)
    if (user && earlier >= 0 && earlier < there.indexOf(first)) return inUse(home, user)
    const who = user ? ` by depositd on ${user.host} with the home ${user.home}` : ''
    told.notice(`The folder ${home.blobs} is used${who} as well: that daemon is told to end.`)
    await markFolder(home, service, first)
    own = (await knownFolders(home)).at(-1) ?? ''
    starts.add(turnOf(own).start)
    return undefined
  }
  let tell = (_failure: StartFailure): void => {}
  const lost = new Promise<StartFailure>((resolve) => (tell = resolve))
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(async () => {
      try {
        const failure = await look()
        if (failure) tell(failure)
      } catch (error) {
        told.report(error)
      }
    })
  }, everyMs)
  timer.unref()
  subscribe(commitChannel, change)
  return {
    lost,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      unsubscribe(commitChannel, change)
      await looking
      if (hasChanged) await turn()
    },
  }
}

function inUse({ blobs }: Home, { host, home: root }: ServiceMark): StartFailure {
  const said = `The files in ${blobs} are in use: by a process on ${host} with the home ${root}. One of the two homes is a copy of the other.`
  return new StartFailure('busy', said, { next: advice.useOneHome(blobs, root) })
}
