/** Milliseconds for pieces of work in one turn of the event loop. */
const budgetMs = 8

/** Queue of pieces, first come, first served. */
const waiting: (() => void)[] = []
/** Start of the work in this turn; undefined without work. */
let began: number | undefined
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

/** As {@link giveWay}, for a callback. */
export function whenThereIsTime(work: () => void): void {
  if (begin()) work()
  else waiting.push(work)
}

/** True where a piece may begin now. */
function begin(): boolean {
  if (began === undefined) {
    began = performance.now()
    setImmediate(takeTurn)
  }
  if (isRunning || waiting.length > 0 || performance.now() - began >= budgetMs) return false
  isRunning = true
  afterwards(goOn)
  return true
}

function takeTurn(): void {
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
  const hasTime = began !== undefined && performance.now() - began < budgetMs
  if (hasTime && waiting.length > 0) release()
}

/** Runs `work` after all pending promise callbacks: a tick queued in a microtask comes last. */
function afterwards(work: () => void): void {
  queueMicrotask(() => process.nextTick(work))
}
