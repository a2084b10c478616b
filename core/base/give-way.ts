/** Milliseconds that pieces of work may take together in one turn of the event loop. */
const budgetMs = 8

/** Those that wait for a turn, in the order in which they came. */
const waiting: (() => void)[] = []
/** When the work of this turn began; undefined where there was none. */
let began: number | undefined
/** True until the piece that was begun last has done all it can do at once. */
let isRunning = false

/**
 * Resolves when there is time for a piece of work: at once, or in a later turn of the event loop
 * where others have used this one. Work that takes more than a few milliseconds asks before
 * each piece, so that what never asks (`/health`) waits for one piece and not for all.
 */
export async function giveWay(): Promise<void> {
  if (!begin()) await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Work that is done in pieces: it yields between them. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** How many elements of a long list are small work: one piece. */
export const pieceSize = 500

/** Does the work, and gives way before each of its pieces. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await giveWay()
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** As {@link giveWay}, for a callback: called at once where there is time. */
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

/** A tick that a microtask asks for comes when every promise that can go on has done so. */
function afterwards(work: () => void): void {
  queueMicrotask(() => process.nextTick(work))
}
