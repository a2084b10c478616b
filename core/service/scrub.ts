import { setTimeout } from 'node:timers/promises'
import type { Blob } from '../files/file.ts'
import type { BlobCheck, DueTime } from '../ports/upkeep.ts'
import { examineBlob, type BlobDamage } from './examine-blob.ts'
import type { Parts } from './parts.ts'

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** Time from one reading of a blob to the next. */
  readonly againMs: number
  /** Pause when no blob is due. */
  readonly restMs: number
  /** Told of damage, once for each reading. */
  readonly found: (blob: Blob, damage: BlobDamage) => void
  readonly signal: AbortSignal
}

/** Blobs whose readings are remembered together. */
const batchSize = 32

/**
 * Reads every blob again, those read longest ago first, until `signal` aborts. Each reading is
 * recorded in the rows, so the next process continues from there.
 */
export async function scrub(
  parts: Pick<Parts, 'database' | 'blobs' | 'clock'>,
  options: ScrubOptions,
): Promise<void> {
  const { signal, restMs, againMs } = options
  const { clock } = parts
  while (!signal.aborted) {
    const isDone = await readBatch(parts, dueAt(clock.now(), againMs), options)
    if (isDone) await rest(restMs, signal)
  }
}

/** @returns true where there is nothing to do, or another daemon does it */
async function readBatch(
  parts: Pick<Parts, 'database' | 'blobs'>,
  time: DueTime,
  options: ScrubOptions,
): Promise<boolean> {
  const { database } = parts
  if (!database.isWritable()) return true
  await using turn = await database.lead('scrub')
  const due = turn ? await database.upkeep.dueBlobs(time, batchSize) : []
  if (due.length > 0) await readAgain(parts, due, time.now, options)
  return due.length === 0
}

async function readAgain(
  { database, blobs }: Pick<Parts, 'database' | 'blobs'>,
  due: readonly Blob[],
  checked: string,
  { bytesPerSecond, found, signal }: ScrubOptions,
): Promise<void> {
  const examination = { reads: true, pace: paceOf(bytesPerSecond, signal) }
  const checks: BlobCheck[] = []
  for (const blob of due) {
    if (signal.aborted) break
    const damage = await examineBlob(blobs, blob, examination)
    const isDamaged = damage !== undefined && (await database.read.blobs.find(blob.id))
    if (isDamaged) found(blob, damage)
    const message = isDamaged ? damage.message : null
    checks.push({ id: blob.id, checked, damage: message })
  }
  if (checks.length > 0) await database.write((unit) => unit.upkeep.recordChecks(checks))
}

/** Waits so that no more bytes a second go by than that. */
function paceOf(bytesPerSecond: number, signal: AbortSignal): (bytes: number) => Promise<void> {
  let freeAt = performance.now()
  return async (bytes) => {
    const now = performance.now()
    freeAt = Math.max(now, freeAt) + (bytes / bytesPerSecond) * 1000
    await rest(freeAt - now, signal)
  }
}

/** Keeps no process alive, and ends early without complaint. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < 1) return
  await setTimeout(ms, undefined, { ref: false, signal }).catch(() => {})
}

/**
 * Blobs are due `againMs` after their last reading. A reading is recorded with this same `now`, not
 * the time it ends: a blob just read is never due, so a wrong clock cannot make the loop endless.
 */
export function dueAt(now: string, againMs: number): DueTime {
  return { now, before: new Date(Date.parse(now) - againMs).toISOString() }
}
