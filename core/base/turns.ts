/** Maximum number of running pieces. */
interface TurnLimits {
  readonly all: number
  readonly each: number
}

interface Waiting {
  readonly name: string
  readonly go: () => void
}

/**
 * Limits how many pieces of work run in parallel, in all and for each name (a user, a network); the
 * others wait. Names take turns, so that however many pieces one has, another waits for few of them;
 * those of one name are in their order.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #running = new Map<string, number>()
  /** Numbers of the last turns of names that have more to do. */
  readonly #last = new Map<string, number>()
  #begun = 0
  #total = 0
  #waiting: readonly Waiting[] = []

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** Number of waiting pieces, in all and of `name`. */
  waiting(name: string): { readonly all: number; readonly own: number } {
    const own = this.#waiting.filter((each) => each.name === name).length
    return { all: this.#waiting.length, own }
  }

  /**
   * Waits for a turn of `name`, which ends on disposal.
   *
   * @throws what `signal` was aborted with
   */
  async take(name: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.isFree(name)) this.#begin(name)
    else await this.#wait(name, signal)
    let isOver = false
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#end(name)
        isOver = true
      },
    }
  }

  /** True where `name` need not wait. */
  isFree(name: string): boolean {
    return this.#total < this.#limits.all && (this.#running.get(name) ?? 0) < this.#limits.each
  }

  #begin(name: string): void {
    this.#begun += 1
    this.#last.set(name, this.#begun)
    this.#total += 1
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
  }

  #end(name: string): void {
    this.#total -= 1
    const left = (this.#running.get(name) ?? 1) - 1
    if (left > 0) this.#running.set(name, left)
    else this.#running.delete(name)
    this.#next()
    this.#forgetIdle(name)
  }

  /** Of the names that may have one, that whose last turn is the longest ago. */
  #next(): void {
    const lastOf = ({ name }: Waiting): number => this.#last.get(name) ?? 0
    const free = this.#waiting.filter(({ name }) => this.isFree(name))
    const [next] = free.toSorted((one, other) => lastOf(one) - lastOf(other))
    if (!next) return
    this.#leave(next)
    this.#begin(next.name)
    next.go()
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
  }

  #forgetIdle(name: string): void {
    const isIdle = !this.#running.has(name) && this.waiting(name).own === 0
    if (isIdle) this.#last.delete(name)
  }

  async #wait(name: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const waiting = { name, go: () => resolve(undefined) }
    const giveUp = (): void => {
      this.#leave(waiting)
      this.#forgetIdle(name)
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

/** Milliseconds for pieces of work in one turn of the event loop. */
const budgetMs = 8

/**
 * Turns of the event loop without a piece after one that took longer: in each, Node.js accepts one
 * connection. Otherwise the last of a thousand new clients would wait for a thousand pieces.
 */
const restTurns = 16

/** Queue of pieces, first come, first served. */
const waiting: (() => void)[] = []
/** Start of the work in this turn; undefined without work. */
let began: number | undefined
/** Those without a piece so far. */
let rested = 0
/** True while the last piece runs. */
let isRunning = false

/**
 * Yields to the event loop: resolves when there is time for a piece of work, at once or in a later
 * turn. Work of more than a few milliseconds calls it before each piece, so that short requests
 * (`/health`) wait for one piece, not for all.
 */
export async function giveWay(): Promise<void> {
  if (!begin()) await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Work in pieces, which yields between them. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Elements of a long list in one piece of work. */
export const pieceSize = 500

/** Runs the work and yields to the event loop before each piece. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await giveWay()
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs the work without yielding: it is short, or its caller cannot wait. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** As {@link giveWay}, for a callback. */
export function whenThereIsTime(work: () => void): void {
  if (begin()) work()
  else waiting.push(work)
}

/** True where what was done in this turn leaves no time for more. */
function isOver(): boolean {
  return began !== undefined && performance.now() - began >= budgetMs
}

/** True where a piece may begin now. */
function begin(): boolean {
  if (began === undefined) {
    began = performance.now()
    setImmediate(takeTurn)
  }
  if (isRunning || waiting.length > 0 || isOver()) return false
  isRunning = true
  afterwards(goOn)
  return true
}

function takeTurn(): void {
  if (isOver() && rested < restTurns) {
    rested += 1
    setImmediate(takeTurn)
    return
  }
  rested = 0
  if (waiting.length === 0) {
    began = undefined
    return
  }
  began = performance.now()
  setImmediate(takeTurn)
  release()
}

function release(): void {
  isRunning = true
  waiting.shift()?.()
  afterwards(goOn)
}

function goOn(): void {
  isRunning = false
  if (!isOver() && waiting.length > 0) release()
}

/** Runs `work` after all pending promise callbacks: a tick queued in a microtask comes last. */
function afterwards(work: () => void): void {
  queueMicrotask(() => process.nextTick(work))
}
