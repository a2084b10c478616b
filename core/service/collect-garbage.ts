import { setTimeout } from 'node:timers/promises'
import type { BlobId } from '../files/file.ts'
import type { StoredBlob } from '../ports/blob-store.ts'
import type { Database } from '../ports/database.ts'
import type { ManifestStore } from '../ports/manifest-store.ts'
import type { Parts } from './parts.ts'
import {
  findStrangeFiles,
  nameOfManifest,
  type IsKept,
  type StrangeFiles,
} from './strange-manifests.ts'

/** The garbage that was removed. */
export interface Collected {
  readonly blobs: number
  /** Bytes. */
  readonly size: number
  /** Blobs that no row names, and that are too young to tell from an upload. */
  readonly young: number
  /** Those that were kept for manifests of records or revisions that the rows do not know. */
  readonly kept: Kept
}

/** The published files of which the rows know nothing: they are not those that were published with. */
export interface Kept {
  readonly blobs: number
  /** Bytes. */
  readonly size: number
  /** Number of the manifests without a row, with files or without; one of them is named. */
  readonly manifests: number
  readonly such?: string
  /** Manifests without a row that cannot be read. While there is one, nothing is removed. */
  readonly damaged: readonly string[]
}

type GarbageParts = Pick<Parts, 'database' | 'blobs' | 'clock'> & {
  readonly manifests: ManifestStore
}

/** Longer than it takes from the name of a blob to its row. */
const settleMs = 1000

/**
 * Removes the bytes left by a crash or a failure, which no row names and none is going to. What was
 * published stays, also where these rows do not know it: they may be an older copy.
 */
export async function collectGarbage(
  parts: GarbageParts,
  collected: (id: BlobId) => void,
  signal: AbortSignal,
): Promise<Collected> {
  const { database, blobs } = parts
  const { candidates, young } = await findNameless(parts, signal)
  const isCandidate = (id: string): boolean => candidates.has(id as BlobId)
  const strange = await findStrangeFiles(parts, isCandidate, signal)
  const total = { blobs: 0, size: 0, young }
  const kept = { blobs: 0, size: 0 }
  // An upload that rested for long has an old file: its row, if it is to come, is there by then.
  if (candidates.size > 0) await setTimeout(settleMs, undefined, { signal })
  for (const [id, size] of candidates) {
    if (await isNamed(database, id)) continue
    const isKept = strange.damaged.length > 0 || strange.blobs.has(id)
    const sum = isKept ? kept : total
    sum.blobs += 1
    sum.size += size
    if (isKept) continue
    await blobs.remove(id)
    collected(id)
  }
  return { ...total, kept: { ...kept, ...toldOf(strange) } }
}

function toldOf({ manifests, damaged, such }: StrangeFiles): Omit<Kept, 'blobs' | 'size'> {
  return {
    manifests,
    ...(such && { such: nameOfManifest(such) }),
    damaged: damaged.map(nameOfManifest),
  }
}

/** Blobs that no row names, with their sizes, and the number of others that are too young to tell. */
async function findNameless(
  { database, blobs, clock }: GarbageParts,
  signal: AbortSignal,
): Promise<{ readonly candidates: ReadonlyMap<BlobId, number>; readonly young: number }> {
  const candidates = new Map<BlobId, number>()
  let young = 0
  for await (const entry of blobs.list()) {
    signal.throwIfAborted()
    if ('strange' in entry || (await isNamed(database, entry.id))) continue
    // The ages are by the clock of the store; this one may be far ahead of it, or have gone back.
    const now = Date.parse(clock.settled()) + Math.min(0, blobs.clockAheadMs ?? 0)
    const age = now - (await lastSeen(database, entry))
    if (age >= graceMs) candidates.set(entry.id, entry.size)
    else young += 1
  }
  return { candidates, young }
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
 * Removes bytes that must not stay, also those that were set aside as damaged, and that the unit of work
 * has noted as abandoned long ago: those that are not reached before a crash go with the first sweep after it.
 */
export async function removeForGood(
  { database, blobs, report }: Pick<Parts, 'database' | 'blobs' | 'report'>,
  ids: readonly BlobId[],
): Promise<void> {
  try {
    await blobs.removeAside(ids)
  } catch (error) {
    report(error)
    return
  }
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
 * and no row has named it since. No blobs are looked for in the store.
 */
export async function collectAbandoned(
  { database, blobs, clock }: Parts,
  isKept: IsKept,
): Promise<void> {
  const before = new Date(Date.parse(clock.settled()) - graceMs).toISOString()
  await database.write((unit) => unit.intents.removeSettled(before))
  for (;;) {
    const ids = await database.read.intents.before(before, batchSize)
    for (const id of ids) {
      // Once given up it cannot be finished, so it gets no row while its bytes are removed.
      if (!(await database.write((unit) => unit.intents.giveUp(id, before)))) continue
      if (!(await isKept(id))) await blobs.remove(id)
      await database.write((unit) => unit.intents.remove(id))
    }
    if (ids.length < batchSize) return
  }
}
