import {
  lockLost,
  problem,
  type BlobId,
  type Piece,
  type SharedLock,
  type SharedLocks,
} from '../../../core/index.ts'

interface Holder {
  readonly giveWay: () => void
  readonly isOver: Promise<void>
}

/** The part of a {@link Piece} that ends its work. */
type Turn = Required<Pick<Piece, 'signal' | 'requireTurn'>>

/**
 * One request at a time for each upload, at all daemons. A later one asks the one before to stop:
 * most likely its connection is dead, and its client sends the rest over another.
 */
export class UploadLocks {
  readonly #shared: SharedLocks | undefined
  readonly #holders = new Map<BlobId, Holder>()

  /** @param shared where other daemons may get requests for the same uploads */
  constructor(shared: SharedLocks | undefined) {
    this.#shared = shared
  }

  /**
   * Runs `work` once no other request works on the uploads.
   *
   * @param work ends early when its signal is aborted
   * @throws {DepositError} upload_conflict: another request has taken over
   * @throws {DepositError} upload_locked: another request does not end
   * @throws {DepositError} storage_unavailable: another daemon may have worked on them at the same time
   */
  async run<Result>(
    ids: readonly BlobId[],
    work: (turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    const takenOver = new AbortController()
    const { signal } = takenOver
    const held = new HeldLocks(() => takenOver.abort(), signal)
    try {
      await this.#takeAll(ids, held)
      const result = await work({ signal, requireTurn: held.requireHeld })
      if (!(await held.release())) throw lockLost()
      return result
    } catch (error) {
      if (held.isLost) throw lockLost()
      if (!signal.aborted) throw error
      throw problem('upload_conflict', { message: 'A later request has taken over.' })
    } finally {
      await held[Symbol.asyncDispose]()
    }
  }

  /**
   * Like {@link run}, for work that waits for nothing from its client, and whose outcome the rows
   * decide. Later requests wait for it: stopped by each retry, long work would never end.
   */
  async runToEnd<Result>(
    ids: readonly BlobId[],
    work: (turn: Pick<Turn, 'requireTurn'>) => Promise<Result>,
  ): Promise<Result> {
    await using held = new HeldLocks(() => {})
    await this.#takeAll(ids, held)
    return await work({ requireTurn: held.requireHeld })
  }

  /** In one order always: two requests for the same uploads do not wait for each other. */
  async #takeAll(ids: readonly BlobId[], held: HeldLocks): Promise<void> {
    for (const id of [...new Set(ids)].sort()) {
      held.local.use(await this.#take(id, held.giveWay))
      if (this.#shared) await held.take(this.#shared, id)
    }
  }

  async #take(id: BlobId, giveWay: () => void): Promise<Disposable> {
    const { promise: isOver, resolve } = Promise.withResolvers<void>()
    const before = this.#holders.get(id)
    const holder = { giveWay, isOver }
    this.#holders.set(id, holder)
    before?.giveWay()
    await before?.isOver
    return {
      [Symbol.dispose]: () => {
        if (this.#holders.get(id) === holder) this.#holders.delete(id)
        resolve()
      },
    }
  }
}

/** The locks of one request: in this process, and among daemons. */
class HeldLocks implements AsyncDisposable {
  readonly local = new DisposableStack()
  readonly giveWay: () => void
  readonly #signal: AbortSignal | undefined
  #shared: readonly SharedLock[] = []
  #isLost = false

  constructor(giveWay: () => void, signal?: AbortSignal) {
    this.giveWay = giveWay
    this.#signal = signal
  }

  /** True once another daemon may have had one of the locks. */
  get isLost(): boolean {
    return this.#isLost
  }

  async take(locks: SharedLocks, id: BlobId): Promise<void> {
    const lost = (): void => {
      this.#isLost = true
      this.giveWay()
    }
    const signal = this.#signal && { signal: this.#signal }
    const lock = await locks.take(`upload:${id}`, { giveWay: this.giveWay, lost, ...signal })
    if (!lock) throw problem('upload_locked')
    this.#shared = [...this.#shared, lock]
  }

  /** @throws {DepositError} storage_unavailable */
  readonly requireHeld = (): void => {
    for (const { requireHeld } of this.#shared) requireHeld()
  }

  /** Gives the locks back; answers whether all were held until now. */
  async release(): Promise<boolean> {
    const released = await Promise.all(this.#shared.map((lock) => lock.release()))
    this.#shared = []
    this.local.dispose()
    return !this.#isLost && released.every(Boolean)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}
