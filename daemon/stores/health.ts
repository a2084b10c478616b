import { watch, type FSWatcher } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isProblem, problem, type DepositError, type Parts } from '../../core/index.ts'
import type { HomeLock } from '../home/home-lock.ts'
import type { Home } from '../home/home.ts'

export { StorageHealth } from '../../core/adapters/storage-health.ts'

/** Parts of the service that `/health`, `/ready` and the metrics look at. */
export const healthParts = ['database', 'storage', 'disk', 'home'] as const

export type HealthPart = (typeof healthParts)[number]

/** The parts that fail, and the files that were found damaged. */
interface HealthState {
  readonly faults: readonly (HealthPart | 'issuer')[]
  /** Files. */
  readonly damaged: number
  readonly isDegraded: boolean
}

/** Time between the daemon's own checks, and time that a result is cached. Milliseconds. */
const everyMs = 2_000
const goodMs = 250
/** Longest wait of a request for a check before it gets the last result. Milliseconds. */
const patienceMs = 20
/** The same of one for the database, which may be far away; those who probe give up after a second. */
const databasePatienceMs = 400

/** `reserve`: files are refused; `full`: changes of rows as well. */
type DiskState = 'roomy' | 'reserve' | 'full'

interface Watched {
  readonly parts: Pick<Parts, 'database' | 'blobs'>
  readonly home: Home
  readonly lock: HomeLock
  /** Takes no more writes after a failure. */
  readonly storage: { readonly fail: (error: unknown) => unknown }
  readonly logger: Logger
}

/** Watches disk, database and home, also without requests. */
export class Health implements Disposable {
  /** Resolves with a message when the home is no longer there: the daemon has to end. */
  readonly homeLost: Promise<string>
  readonly #watched: Watched
  readonly #stop: () => void
  #lost: (message: string) => void = () => {}
  #isHomeLost = false
  /** Disks that are not roomy, by a folder on each. */
  #disks: ReadonlyMap<string, DiskState> = new Map()
  #lookedAt = -Infinity
  #looking: Promise<void> | undefined
  /** Files that were found damaged, as the database told last. */
  #damaged = 0
  #counting: Promise<void> | undefined
  /** The count under way was waited for in vain. */
  #isCountLate = false

  constructor(watched: Watched) {
    this.#watched = watched
    this.homeLost = new Promise((resolve) => (this.#lost = resolve))
    const look = (): void => void this.#look().catch(() => {})
    const timer = setInterval(look, everyMs).unref()
    const watcher = watchFile(watched.home.lock, look)
    this.#stop = () => {
      clearInterval(timer)
      watcher?.close()
    }
  }

  /** The parts that fail now; none where all is well. */
  async faults(): Promise<readonly HealthPart[]> {
    await this.#lookAgain()
    const { database, blobs } = this.#watched.parts
    const fails: Readonly<Record<HealthPart, boolean>> = {
      database: !database.isWritable(),
      storage: blobs.health !== 'sound',
      disk: this.#disks.size > 0,
      home: this.#isHomeLost,
    }
    return healthParts.filter((part) => fails[part])
  }

  /** Why not all requests but new files can be taken; undefined where they can. */
  async obstacle(): Promise<DepositError | undefined> {
    const faults = await this.faults()
    const { database, blobs } = this.#watched.parts
    // Rows that other daemons share are on a server, which is away.
    if (faults.includes('database') && database.isShared) return problem('storage_unavailable')
    if (blobs.health === 'away') return problem('storage_unavailable', { store: 'files' })
    if (faults.some((part) => part !== 'disk')) return problem('storage_degraded')
    if (![...this.#disks.values()].includes('full')) return undefined
    return problem('storage_degraded', {
      message: 'The disk is full; it can be read, not written.',
    })
  }

  /**
   * How the service is as a whole, for `/health` and the metrics alike.
   *
   * @param issuer of access tokens, where it does not answer
   */
  async state(issuer: string | undefined): Promise<HealthState> {
    await this.#countDamaged()
    const damaged = this.#damaged
    const own = await this.faults()
    const faults = issuer === undefined ? own : [...own, 'issuer' as const]
    return { faults, damaged, isDegraded: faults.length > 0 || damaged > 0 }
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  /** Does not fail while the database is away, which is one of the faults that are told. */
  async #countDamaged(): Promise<void> {
    const { upkeep } = this.#watched.parts.database
    this.#counting ??= upkeep
      .damaged()
      .then(
        (damaged) => void (this.#damaged = damaged),
        () => {},
      )
      .finally(() => {
        this.#counting = undefined
        this.#isCountLate = false
      })
    if (this.#isCountLate) return
    const counted = this.#counting.then(() => true)
    const late = setTimeout(databasePatienceMs, false, { ref: false })
    this.#isCountLate = !(await Promise.race([counted, late])) && this.#counting !== undefined
  }

  /** A busy machine takes its time for a look; a disk that hangs holds up the answer in the end. */
  async #lookAgain(): Promise<void> {
    const age = performance.now() - this.#lookedAt
    if (age <= goodMs) return
    const look = this.#look()
    await (age > 3 * everyMs ? look : Promise.race([look, setTimeout(patienceMs)]))
  }

  /** Those who ask at once share one look. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    const { lock, parts, storage, home, logger } = this.#watched
    if (!this.#isHomeLost && !(await lock.isInPlace())) {
      this.#isHomeLost = true
      const message = `${home.root} was removed or replaced while the daemon used it.`
      storage.fail(new Error(message))
      this.#lost(message)
    }
    const disks = await this.#askDisks(parts, home)
    for (const folder of new Set([...this.#disks.keys(), ...disks.keys()])) {
      const state = disks.get(folder) ?? 'roomy'
      if (state !== (this.#disks.get(folder) ?? 'roomy')) logger.warn(diskNotices[state](folder))
    }
    this.#disks = disks
    this.#lookedAt = performance.now()
  }

  /** The rows are on the disk of the home; the files may be on another one. */
  async #askDisks(
    { blobs }: Watched['parts'],
    { root }: Home,
  ): Promise<ReadonlyMap<string, DiskState>> {
    const usedUp = await blobs.usedUp().catch(() => [])
    const states = new Map<string, DiskState>(usedUp.map((folder) => [folder, 'reserve']))
    try {
      await blobs.requireRoomForRows()
    } catch (error) {
      if (isProblem(error, 'storage_full')) states.set(root, 'full')
    }
    return states
  }
}

const diskNotices: Readonly<Record<DiskState, (root: string) => string>> = {
  roomy: (root) => `${root} has room again`,
  reserve: (root) => `The disk of ${root} has only its reserve left: most files are refused`,
  full: (root) => `The disk of ${root} is full`,
}

/**
 * Tells at once that the file was removed. Undefined where the machine has no watch left (ENOSPC,
 * EMFILE): the timer notices it too.
 */
function watchFile(path: string, look: () => void): FSWatcher | undefined {
  try {
    return watch(path, { persistent: false }, look).on('error', () => {})
  } catch {
    return undefined
  }
}
