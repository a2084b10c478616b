/** Rows remembered at most, of either kind. */
const most = 500

/** Limits of the cache. Characters of documents. */
interface Bounds {
  /** Of one document. */
  readonly longest: number
  /** Of all of them. */
  readonly total: number
}

/**
 * Deposits or records that were read, for as long as reads see the same rows. A second reader gets
 * the very same object, so that what was made of it can be remembered with it.
 */
export class KnownRows<Name, Item> {
  readonly #known = new Map<Name, Item>()
  readonly #view: () => object
  readonly #bounds: Bounds
  #seen: object | undefined
  /** Characters of those that are known. */
  #length = 0

  /** @param view stands for what reads see; another object as soon as they may see anything else */
  constructor(view: () => object, bounds: Bounds) {
    this.#view = view
    this.#bounds = bounds
  }

  /** The item, or what `read` finds. */
  async get(
    name: Name,
    read: () => Promise<{ readonly item: Item; readonly length: number } | undefined>,
  ): Promise<Item | undefined> {
    const view = this.#view()
    if (view !== this.#seen) this.#forget(view)
    const known = this.#known.get(name)
    if (known) return known
    const found = await read()
    // If rows changed during the read, it may have seen either state.
    if (found && view === this.#view()) this.#keep(name, found.item, found.length)
    return found?.item
  }

  #keep(name: Name, item: Item, length: number): void {
    const { longest, total } = this.#bounds
    if (length > longest) return
    if (this.#known.size >= most || this.#length + length > total) this.#forget(this.#seen)
    this.#known.set(name, item)
    this.#length += length
  }

  #forget(view: object | undefined): void {
    this.#seen = view
    this.#known.clear()
    this.#length = 0
  }
}
