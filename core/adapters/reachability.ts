import { isProblem } from '../errors/errors.ts'

/** Pause between calls to an unreachable server. Milliseconds. */
const pause = 500

/** Pause between calls to one that answers, so that an idle daemon notices an outage. */
const lookMs = 5_000

/** Whether the server answers: asked again, once it did not, until it does. */
export class Reachability implements Disposable {
  readonly #call: () => Promise<unknown>
  readonly #looking: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #isAsked = false

  /** @param call fails while the server takes no changes */
  constructor(call: () => Promise<unknown>) {
    this.#call = call
    this.#looking = setInterval(() => void this.#look(), lookMs).unref()
  }

  get isReachable(): boolean {
    return this.#timer === undefined
  }

  /** Notes a failure of a query. */
  readonly heard = (error: unknown): void => {
    if (isProblem(error, 'storage_unavailable') && this.isReachable && !this.#isClosed)
      this.#callLater()
  };

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearInterval(this.#looking)
    clearTimeout(this.#timer)
  }

  async #look(): Promise<void> {
    if (!this.isReachable || this.#isAsked) return
    this.#isAsked = true
    try {
      await this.#call()
    } catch (error) {
      this.heard(error)
    } finally {
      this.#isAsked = false
    }
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
