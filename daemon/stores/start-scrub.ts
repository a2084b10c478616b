import { setTimeout as rest } from 'node:timers/promises'
import type { Logger } from 'pino'
import { scrub, type Parts } from '../../core/index.ts'
import type { ConfigValues } from '../config/keys.ts'

/** How long a start is left alone, and where nothing is due. */
const restMs = 60_000

/** A blob is due again when this much of its time is over: the rest is for those before it. */
const share = 2 / 3

/** Reads every blob again within the days that are configured, until it is disposed of. */
export function startScrub(
  parts: Parts,
  { DEPOSIT_SCRUB_DAYS: scrubDays, DEPOSIT_SCRUB_RATE: scrubRate }: ConfigValues,
  logger: Logger,
): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const readAll = (): Promise<void> =>
    scrub(parts, {
      bytesPerSecond: scrubRate,
      againMs: scrubDays * share * 86_400_000,
      restMs,
      found: ({ id }, { message }) => logger.error({ blob: id, damage: message }, 'damaged blob'),
      signal,
    })
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await readAll().catch(parts.report)
      await rest(restMs, undefined, { ref: false, signal }).catch(() => {})
    }
  }
  let running: Promise<void> | undefined
  const start = setTimeout(() => {
    running = run()
  }, restMs)
  start.unref()
  if (scrubDays === 0) clearTimeout(start)
  return {
    [Symbol.asyncDispose]: async () => {
      clearTimeout(start)
      stopping.abort()
      await running
    },
  }
}
