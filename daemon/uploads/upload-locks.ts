import type { Lock } from '@tus/utils'

interface Holder {
  readonly release: () => void
  readonly isOver: Promise<void>
}

/**
 * One request at a time for each upload. A later one asks the one before to stop: most likely its
 * connection is dead, and its client wants to go on over another.
 */
export class UploadLocks {
  readonly #holders = new Map<string, Holder>()

  /** @param takeOver called when another request wants the upload */
  newLock(id: string, takeOver: () => void): Lock {
    const { promise: isOver, resolve: release } = Promise.withResolvers<void>()
    return {
      lock: async () => {
        const before = this.#holders.get(id)
        const holder = { release: takeOver, isOver }
        this.#holders.set(id, holder)
        before?.release()
        await before?.isOver
      },
      unlock: async () => {
        if (this.#holders.get(id)?.isOver === isOver) this.#holders.delete(id)
        release()
      },
    }
  }
}
