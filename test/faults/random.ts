/** Random-looking numbers, the same for the same seed, so that a failure can be repeated. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** At least 0, below 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.between(0, items.length - 1)]
  }

  shuffle<Item>(items: readonly Item[]): readonly Item[] {
    return items
      .map((item) => ({ item, at: this.fraction() }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item)
  }

  /** A generator of its own for one of several that run at once. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 32 - 1))
  }
}
