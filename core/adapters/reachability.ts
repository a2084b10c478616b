import { StorageUnavailable } from '../errors.ts'

/** How often a server that went away is called. Milliseconds. */
const pause = 500

/** Whether the server answers: asked again, once it did not, until it does. */
export class Reachability implements Disposable {
  readonly #call: () => Promise<unknown>
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param call fails while the server takes no changes */
  constructor(call: () => Promise<unknown>) {
    this.#call = call
  }

  get isReachable(): boolean {
    return this.#timer === undefined
  }

  /** Notes a failure of a query. */
  readonly heard = (error: unknown): void => {
    if (error instanceof StorageUnavailable && this.isReachable && !this.#isClosed)
      this.#callLater()
  };

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #callLater(): void {
    this.#timer = setTimeout(() => void this.#callNow(), pause)
    this.#timer.unref()
  }

  async #callNow(): Promise<void> {
    try {
      await this.#call()
      this.#timer = undefined
    } catch {
      if (!this.#isClosed) this.#callLater()
    }
  }
}
