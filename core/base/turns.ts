/** How many may be at work at once. */
export interface TurnLimits {
  readonly all: number
  readonly each: number
}

interface Waiting {
  readonly name: string
  readonly go: () => void
}

/**
 * Lets so many pieces of work run at once, in all and of each name (a user, a network); the others
 * wait in the order they came.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #running = new Map<string, number>()
  #total = 0
  #waiting: readonly Waiting[] = []

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** How many wait, in all and of `name`. */
  waiting(name: string): { readonly all: number; readonly own: number } {
    const own = this.#waiting.filter((each) => each.name === name).length
    return { all: this.#waiting.length, own }
  }

  /**
   * Answers when it is the turn of `name`; the turn ends when it is disposed of.
   *
   * @throws what `signal` was aborted with
   */
  async take(name: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.#isFree(name)) this.#begin(name)
    else await this.#wait(name, signal)
    let isOver = false
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#end(name)
        isOver = true
      },
    }
  }

  #isFree(name: string): boolean {
    return this.#total < this.#limits.all && (this.#running.get(name) ?? 0) < this.#limits.each
  }

  #begin(name: string): void {
    this.#total += 1
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
  }

  #end(name: string): void {
    this.#total -= 1
    const left = (this.#running.get(name) ?? 1) - 1
    if (left > 0) this.#running.set(name, left)
    else this.#running.delete(name)
    this.#next()
  }

  /** The first who may: one queue does not hold up the others. */
  #next(): void {
    const next = this.#waiting.find(({ name }) => this.#isFree(name))
    if (!next) return
    this.#leave(next)
    this.#begin(next.name)
    next.go()
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
  }

  async #wait(name: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const waiting = { name, go: () => resolve(undefined) }
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
