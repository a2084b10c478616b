import type { BlobId } from '../../files/file.ts'

/** Removals that wait while a reader holds blob ids from rows that may be gone since. */
export class HeldRemovals {
  readonly #remove: (id: BlobId) => Promise<void>
  readonly #waiting = new Set<BlobId>()
  #holders = 0

  constructor(remove: (id: BlobId) => Promise<void>) {
    this.#remove = remove
  }

  async remove(id: BlobId): Promise<void> {
    if (this.#holders > 0) this.#waiting.add(id)
    else await this.#remove(id)
  }

  hold(): AsyncDisposable {
    this.#holders += 1
    return { [Symbol.asyncDispose]: () => this.#release() }
  }

  /** A blob that cannot be removed stays for the garbage collection, as after a crash. */
  async #release(): Promise<void> {
    this.#holders -= 1
    if (this.#holders > 0) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const id of waiting) await this.#remove(id).catch(() => {})
  }
}
