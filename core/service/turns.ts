/** How many may be at work at once. */
export interface TurnLimits {
  readonly all: number
  readonly each: number
}

interface Waiting {
  readonly user: string
  readonly go: () => void
}

/**
 * Lets so many uploads be written at once, in all and of each user; the others wait in the order
 * they came. Nothing is read of a client that waits.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #running = new Map<string, number>()
  #total = 0
  #waiting: readonly Waiting[] = []

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /**
   * Answers when it is the turn of `user`; the turn ends when it is disposed of.
   *
   * @throws what `signal` was aborted with
   */
  async take(user: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.#isFree(user)) this.#begin(user)
    else await this.#wait(user, signal)
    let isOver = false
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#end(user)
        isOver = true
      },
    }
  }

  #isFree(user: string): boolean {
    return this.#total < this.#limits.all && (this.#running.get(user) ?? 0) < this.#limits.each
  }

  #begin(user: string): void {
    this.#total += 1
    this.#running.set(user, (this.#running.get(user) ?? 0) + 1)
  }

  #end(user: string): void {
    this.#total -= 1
    const left = (this.#running.get(user) ?? 1) - 1
    if (left > 0) this.#running.set(user, left)
    else this.#running.delete(user)
    this.#next()
  }

  /** The first who may: one user's queue does not hold up the others. */
  #next(): void {
    const next = this.#waiting.find(({ user }) => this.#isFree(user))
    if (!next) return
    this.#leave(next)
    this.#begin(next.user)
    next.go()
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
  }

  async #wait(user: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const waiting = { user, go: () => resolve(undefined) }
    const giveUp = (): void => {
      this.#leave(waiting)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', giveUp)
    this.#waiting = [...this.#waiting, waiting]
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }
}
