import { sweep, type Parts } from '../core/index.ts'

const hourMs = 60 * 60 * 1000

/** Sweeps at once and every hour, until it is disposed of. */
export function startSweeper(parts: Parts): AsyncDisposable {
  let sweeping = sweep(parts).catch(parts.report)
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => sweep(parts)).catch(parts.report)
  }, hourMs)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}
