/** Milliseconds over which the speed is measured. */
const window = 5_000

/** Shorter times tell nothing. Milliseconds. */
const least = 60

/** Measures how fast bytes are sent. */
export class UploadSpeed {
  /** Bytes that had been sent at moments of the last seconds, the oldest first. */
  #samples: readonly { readonly at: number; readonly moved: number }[] = []
  #moved = 0

  /** @param bytes more than before */
  add(bytes: number): void {
    const at = Date.now()
    const recent = this.#samples.filter((sample) => at - sample.at < window)
    const first = recent.length === 0 ? [{ at, moved: this.#moved }] : recent
    this.#moved += Math.max(bytes, 0)
    this.#samples = [...first, { at, moved: this.#moved }]
  }

  /** Bytes in a second, lately. */
  get now(): number {
    const [oldest] = this.#samples
    if (!oldest) return 0
    return ((this.#moved - oldest.moved) * 1000) / Math.max(Date.now() - oldest.at, least)
  }
}
