/** Work that takes less than this is done each time. Milliseconds. */
const cheapMs = 50

/** So many times as long as it took, its result is good. */
const goodFor = 100

/**
 * Does work that grows with the service once for all who ask meanwhile, and keeps the result for a
 * while: however often it is asked for, it takes a hundredth of the time at most.
 */
export function spared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let kept: Promise<Result> | undefined
  return () => {
    if (kept) return kept
    const started = performance.now()
    const result = work()
    const forget = (): void => void (kept = undefined)
    result.then(() => {
      const tookMs = performance.now() - started
      if (tookMs < cheapMs) forget()
      else setTimeout(forget, goodFor * tookMs).unref()
    }, forget)
    kept = result
    return result
  }
}
