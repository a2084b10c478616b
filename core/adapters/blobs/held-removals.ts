import type { BlobId } from '../../files/file.ts'

/** Removals that wait while somebody reads what rows named a moment ago. */
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

  /** What cannot be removed is garbage like what a crash leaves. */
  async #release(): Promise<void> {
    this.#holders -= 1
    if (this.#holders > 0) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const id of waiting) await this.#remove(id).catch(() => {})
  }
}
