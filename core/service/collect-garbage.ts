import { setTimeout } from 'node:timers/promises'
import type { BlobId } from '../files/file.ts'
import type { StoredBlob } from '../ports/blob-store.ts'
import type { Database } from '../ports/database.ts'
import type { Parts } from './parts.ts'

/** The garbage that was removed. */
export interface Collected {
  readonly blobs: number
  /** Bytes. */
  readonly size: number
  /** Blobs that no row names, and that are too young to tell from an upload. */
  readonly young: number
}

/** Longer than it takes from the name of a blob to its row. */
const settleMs = 1000

/** Removes the bytes left by a crash or a failure, which no row names and none is going to. */
export async function collectGarbage(
  { database, blobs, clock }: Pick<Parts, 'database' | 'blobs' | 'clock'>,
  collected: (id: BlobId) => void,
  signal: AbortSignal,
): Promise<Collected> {
  const total = { blobs: 0, size: 0, young: 0 }
  const candidates: StoredBlob[] = []
  for await (const entry of blobs.list()) {
    signal.throwIfAborted()
    if ('strange' in entry || (await isNamed(database, entry.id))) continue
    // The ages are by the clock of the store; this one may be far ahead of it, or have gone back.
    const now = Date.parse(clock.settled()) + Math.min(0, blobs.clockAheadMs ?? 0)
    const age = now - (await lastSeen(database, entry))
    if (age >= graceMs) candidates.push(entry)
    else total.young += 1
  }
  // An upload that rested for long has an old file: its row, if it is to come, is there by then.
  if (candidates.length > 0) await setTimeout(settleMs, undefined, { signal })
  for (const { id, size } of candidates) {
    if (await isNamed(database, id)) continue
    await blobs.remove(id)
    collected(id)
    total.blobs += 1
    total.size += size
  }
  return total
}

/** Whether a file has the bytes, or an upload that is to become one. */
export async function isNamed({ read }: Pick<Database, 'read'>, id: BlobId): Promise<boolean> {
  if (await read.blobs.find(id)) return true
  const upload = await read.uploads.find(id)
  return upload !== undefined && upload.finished === undefined
}

/** An object that took long to send may be older than the moment in which it was finished. */
async function lastSeen({ read }: Database, { id, modified }: StoredBlob): Promise<number> {
  const intent = await read.intents.find(id)
  return Math.max(modified.getTime(), intent === undefined ? 0 : Date.parse(intent))
}

/**
 * Removes bytes that must not stay, and that the unit of work has noted as abandoned long ago: those
 * that are not reached before a crash go with the first sweep after it.
 */
export async function removeForGood(
  { database, blobs, report }: Pick<Parts, 'database' | 'blobs' | 'report'>,
  ids: readonly BlobId[],
): Promise<void> {
  for (const id of ids) {
    try {
      await blobs.remove(id)
      // A backup under way may hold them for a while.
      if ((await blobs.size(id)) !== undefined) continue
      await database.write((unit) => unit.intents.remove(id))
    } catch (error) {
      report(error)
    }
  }
}

/** Minimum age of garbage: an upload may still name younger bytes. Milliseconds. */
const graceMs = 86_400_000

const batchSize = 100

/**
 * Removes what was on its way to the store when something died: it was said before its first byte,
 * and no row has named it since. Nothing is looked for in the store.
 */
export async function collectAbandoned({ database, blobs, clock }: Parts): Promise<void> {
  const before = new Date(Date.parse(clock.settled()) - graceMs).toISOString()
  await database.write((unit) => unit.intents.removeSettled(before))
  for (;;) {
    const ids = await database.read.intents.before(before, batchSize)
    for (const id of ids) {
      // Once given up it cannot be finished, so it gets no row while its bytes are removed.
      if (!(await database.write((unit) => unit.intents.giveUp(id, before)))) continue
      await blobs.remove(id)
      await database.write((unit) => unit.intents.remove(id))
    }
    if (ids.length < batchSize) return
  }
}
