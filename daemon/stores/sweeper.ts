import { sweep, type Parts } from '../../core/index.ts'

const hourMs = 60 * 60 * 1000

/** Sweeps at once and every hour, until it is disposed of: one daemon for all. */
export function startSweeper(parts: Parts): AsyncDisposable {
  let sweeping = sweepAlone(parts).catch(parts.report)
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => sweepAlone(parts)).catch(parts.report)
  }, hourMs)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}

async function sweepAlone(parts: Parts): Promise<void> {
  await using turn = await parts.database.lead('sweep')
  if (turn) await sweep(parts)
}
