import { once } from 'node:events'
import { setTimeout as rest } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  commitChannel,
  IdentifierWorker,
  isProblem,
  scrub,
  sweep,
  writeManifests,
} from '../../core/index.ts'
import type { ManifestStore, Parts, Teller } from '../../core/index.ts'
import type { ConfigValues } from '../config/keys.ts'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** Pause after the start, and when no blob is due. Milliseconds. */
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

const hourMs = 60 * 60 * 1000

/** Sweeps at once and every hour, until it is disposed of: one daemon for all. */
export function startSweeper(parts: Parts, manifests: ManifestStore): AsyncDisposable {
  const swept = { ...parts, manifests }
  let sweeping = sweepAlone(swept).catch(parts.report)
  const timer = setInterval(() => {
    sweeping = sweeping.then(() => sweepAlone(swept)).catch(parts.report)
  }, hourMs)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await sweeping
    },
  }
}

async function sweepAlone(parts: Parameters<typeof sweep>[0]): Promise<void> {
  await using turn = await parts.database.lead('sweep')
  if (turn) await sweep(parts)
}

/** Time that commits are gathered before their manifests are written. Milliseconds. */
const gatherMs = 200

/** Pause before manifests that the store did not take are written again. Milliseconds. */
const againMs = 60_000

/** Time that an end waits for the database to say what is due still. Milliseconds. */
const answerMs = 2000

/** Revisions that an end names in the log. */
const mostNamed = 100

/**
 * Writes the manifests of what is published, behind those who publish: at every start those that
 * are due still, then after each commit, and once more when it is disposed of.
 *
 * @param patienceMs how long its disposal may take; what is due still then is logged
 */
export function startManifests(
  { database, report }: Pick<Parts, 'database' | 'report'>,
  manifests: ManifestStore,
  logger: Logger,
  patienceMs: () => number,
): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  const write = (isAgain = false): void => {
    timer = undefined
    clearTimeout(again)
    writing = writing
      .then(() => writeManifests(database, manifests, signal))
      .catch((error: unknown) => {
        // The rows say which manifests are due: the next commit tries again, or the next start where
        // the storage has failed, which was told then.
        const isTold = isAgain || isProblem(error, 'storage_full', 'storage_degraded')
        if (!isTold && !signal.aborted) report(error)
        again = setTimeout(() => write(true), againMs).unref()
      })
  }
  const wake = (): void => {
    timer ??= setTimeout(write, gatherMs)
  }
  subscribe(commitChannel, wake)
  wake()
  return {
    [Symbol.asyncDispose]: async () => {
      unsubscribe(commitChannel, wake)
      clearTimeout(timer)
      const limit = setTimeout(() => stopping.abort(), patienceMs())
      write()
      await Promise.race([writing, once(signal, 'abort')])
      clearTimeout(limit)
      stopping.abort()
      clearTimeout(again)
      await tellDue(database, logger)
    },
  }
}

/** Logs which revisions have no manifest when the daemon ends: `rebuild` would not bring them back. */
async function tellDue({ upkeep }: Parts['database'], logger: Logger): Promise<void> {
  const unknown = rest(answerMs, undefined, { ref: false })
  const due = await Promise.race([upkeep.unmanifested(mostNamed), unknown]).catch(() => undefined)
  const next = 'the next start writes them, and `depositd rebuild` does not know them before'
  if (due === undefined) logger.warn(`Whether manifests are missing could not be read: ${next}.`)
  else if (due.length > 0) {
    const revisions = due.map(({ value, revision }) => `${value}@${revision}`)
    logger.warn({ revisions }, `The store did not take the manifests of these revisions: ${next}.`)
  }
}

/** The longest pause between two looks at the outbox: other daemons write into it as well. */
const lookMs = 30_000

/** The shortest one, which an errand that has to wait for the operator may cause again and again. */
const shortestMs = 250

/**
 * Brings identifiers to their providers, behind those who publish: at the start what is due still,
 * then after each commit, and what failed again at its time.
 */
export function startIdentifiers(
  parts: Parts & { readonly daemon: string },
  teller: Teller,
  logger: Logger,
): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const worker = new IdentifierWorker({
    ...parts,
    ...teller,
    notice: (text) => logger.warn(`No identifiers are registered: ${text}`),
  })
  let wake = (): void => {}
  let isAwake = false
  const onCommit = (): void => {
    isAwake = true
    wake()
  }
  const run = async (): Promise<void> => {
    await worker.begin().catch(parts.report)
    while (!signal.aborted) {
      isAwake = false
      const dueMs = await work(worker, parts, signal)
      if (isAwake || signal.aborted) continue
      const restMs = Math.min(lookMs, Math.max(shortestMs, dueMs ?? lookMs))
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs)
        timer.unref()
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  if (parts.providers.length === 0) return { [Symbol.asyncDispose]: async () => {} }
  subscribe(commitChannel, onCommit)
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      unsubscribe(commitChannel, onCommit)
      stopping.abort()
      wake()
      await running
    },
  }
}

async function work(
  worker: IdentifierWorker,
  { report }: Pick<Parts, 'report'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    await worker.round(signal)
    return await worker.rest()
  } catch (error) {
    if (!signal.aborted) report(error)
    return undefined
  }
}
