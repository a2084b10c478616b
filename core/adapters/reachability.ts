import { isProblem } from '../errors/errors.ts'
import { codeOf } from '../base/errno.ts'

/** Pause between calls to an unreachable server. Milliseconds. */
const pause = 500

/** Pause between calls to one that answers, so that an idle daemon notices an outage. */
const lookMs = 5_000

/** Time after which a call to an unreachable server, that it has not answered, tells that it is silent. */
const silentMs = 2_000

/** The name of a server or folder in the log (`The store of files`), and the one who is told of it. */
export interface Told {
  readonly name: string
  /** Told once when it goes away, and once when it is back. */
  readonly notice: (text: string) => void
}

/** Whether the server answers: asked again, once it did not, until it does. */
export class Reachability implements Disposable {
  readonly #call: () => Promise<unknown>
  readonly #told: Told
  readonly #looking: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #isAsked = false
  /** The start of the first call since it is away that it has not answered. */
  #calledAt: number | undefined
  #hasFailed = false

  /** @param call fails while the server takes no changes */
  constructor(call: () => Promise<unknown>, told: Told) {
    this.#call = call
    this.#told = told
    this.#looking = setInterval(() => void this.#look(), lookMs).unref()
  }

  get isReachable(): boolean {
    return this.#timer === undefined
  }

  /**
   * True where it did not answer a call of ours either: one connection may have broken off, or one
   * query taken too long.
   */
  get isSilent(): boolean {
    if (this.isReachable) return false
    const since = this.#calledAt
    return this.#hasFailed || (since !== undefined && performance.now() - since > silentMs)
  }

  /** Notes a failure of a query. */
  readonly heard = (error: unknown): void => {
    if (!isProblem(error, 'storage_unavailable') || !this.isReachable || this.#isClosed) return
    this.#callLater()
    this.#told.notice(`${this.#told.name} is away: ${reasonOf(error)}`)
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
    this.#calledAt ??= performance.now()
    try {
      await this.#call()
    } catch {
      this.#hasFailed = true
      if (!this.#isClosed) this.#callLater()
      return
    }
    this.#timer = undefined
    this.#calledAt = undefined
    this.#hasFailed = false
    if (!this.#isClosed) this.#told.notice(`${this.#told.name} is back.`)
  }
}

/** Words of the failure that led to a problem. An error of several connections has only a code. */
function reasonOf(problem: Error): string {
  const error = problem.cause instanceof Error ? problem.cause : problem
  const said = error.message === '' ? codeOf(error) : error.message
  return error === problem || error.name === 'Error' ? said : `${error.name}: ${said}`
}
