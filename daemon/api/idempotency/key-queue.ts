/** Lets those who hold the same key go one after another. */
export class KeyQueue {
  readonly #last = new Map<string, Promise<void>>()

  /** Answers when everyone who came before with this key has disposed of their turn. */
  async take(key: string): Promise<Disposable> {
    const before = this.#last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, promise)
    await before
    return {
      [Symbol.dispose]: () => {
        if (this.#last.get(key) === promise) this.#last.delete(key)
        resolve()
      },
    }
  }
}
