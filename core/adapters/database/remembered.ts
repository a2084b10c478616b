/** What takes long to read, and is the same until something is changed. */
export class Remembered<Value> {
  readonly #read: () => Promise<Value>
  #known: { readonly value: Value } | undefined
  #changes = 0

  constructor(read: () => Promise<Value>) {
    this.#read = read
  }

  readonly get = async (): Promise<Value> => {
    if (this.#known) return this.#known.value
    const before = this.#changes
    const value = await this.#read()
    // What was changed meanwhile may have been read, or not.
    if (this.#changes === before) this.#known = { value }
    return value
  }

  /** Told of each change, before whoever made it hears that it was made. */
  readonly changed = (): void => {
    this.#changes += 1
    this.#known = undefined
  }
}
