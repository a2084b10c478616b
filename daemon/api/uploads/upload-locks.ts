import { problem, type BlobId } from '../../../core/index.ts'

interface Holder {
  readonly giveWay: () => void
  readonly isOver: Promise<void>
}

/**
 * One request at a time for each upload. A later one asks the one before to stop: most likely its
 * connection is dead, and its client sends the rest over another.
 */
export class UploadLocks {
  readonly #holders = new Map<BlobId, Holder>()

  /**
   * Runs `work` once no other request works on the uploads.
   *
   * @param work ends early when its signal is aborted
   * @throws {DepositError} upload_conflict: another request has taken over
   */
  async run<Result>(
    ids: readonly BlobId[],
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const takenOver = new AbortController()
    using _ = await this.#takeAll(ids, () => takenOver.abort())
    try {
      return await work(takenOver.signal)
    } catch (error) {
      if (!takenOver.signal.aborted) throw error
      throw problem('upload_conflict', { message: 'A later request has taken over.' })
    }
  }

  /**
   * Like {@link run}, for work that waits for nothing from its client. Later requests wait for it:
   * stopped by each retry, long work would never end.
   */
  async runToEnd<Result>(ids: readonly BlobId[], work: () => Promise<Result>): Promise<Result> {
    using _ = await this.#takeAll(ids, () => {})
    return await work()
  }

  /** In one order always: two requests for the same uploads do not wait for each other. */
  async #takeAll(ids: readonly BlobId[], giveWay: () => void): Promise<DisposableStack> {
    using held = new DisposableStack()
    for (const id of [...new Set(ids)].sort()) held.use(await this.#take(id, giveWay))
    return held.move()
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
