import type { Blob, BlobId } from '../files/file.ts'
import { isProblem } from '../errors/errors.ts'
import type { BlobCheck, DueTime, Finding } from '../ports/upkeep.ts'
import type { ManifestStore } from '../ports/manifest-store.ts'
import { checkManifests } from './check-manifests.ts'
import { isNamed } from './collect-garbage.ts'
import { dueAt } from './scrub.ts'
import { examineBlob } from './examine-blob.ts'
import type { Parts } from './parts.ts'
import { findStrangeFiles, nameOfManifest } from './strange-manifests.ts'

/**
 * `quick` compares sizes alone, `incremental` reads the bytes that were not read for 30 days,
 * `full` reads every byte.
 */
export type CheckDepth = 'quick' | 'incremental' | 'full'

export interface CheckOptions {
  readonly depth: CheckDepth
  /** Sets wrong bytes aside, so that they can be restored. */
  readonly quarantine: boolean
  /** Told how many of how many blobs were looked at. */
  readonly progress: (done: number, all: number) => void
  readonly signal: AbortSignal
}

type CheckedParts = Pick<Parts, 'database' | 'blobs' | 'clock'> & {
  readonly manifests: ManifestStore
}

/** Time from one reading of a blob to the next. Milliseconds. */
const readAgainMs = 30 * 86_400_000

const batchSize = 100

/** Rows first, then their bytes, then what lies beside them. Changes nothing but to set aside. */
export async function* checkIntegrity(
  parts: CheckedParts,
  options: CheckOptions,
): AsyncGenerator<Finding, void, undefined> {
  const { inspect } = parts.database.upkeep
  for await (const { table, id, message } of inspect(
    options.depth === 'quick' ? 'quick' : 'full',
  )) {
    options.signal.throwIfAborted()
    yield { kind: 'damage', subject: table, name: id, message }
  }
  if (options.depth === 'full') yield* checkStoreItself(parts)
  yield* checkBlobs(parts, options)
  yield* checkStore(parts, options)
  if (options.depth !== 'quick') yield* checkManifests(parts.database, parts.manifests)
}

async function* checkStoreItself({
  blobs,
}: CheckedParts): AsyncGenerator<Finding, void, undefined> {
  for (const fault of await blobs.inspect()) yield { kind: 'damage', subject: 'file', ...fault }
}

async function* checkBlobs(
  parts: CheckedParts,
  { depth, quarantine, progress, signal }: CheckOptions,
): AsyncGenerator<Finding, void, undefined> {
  const all = (await parts.database.upkeep.checkTotals()).blobs
  const time = dueAt(parts.clock.now(), readAgainMs)
  let done = 0
  for await (const batch of batchesOf(parts, time, depth)) {
    const checks: BlobCheck[] = []
    for (const blob of batch) {
      signal.throwIfAborted()
      const finding = await checkBlob(parts, blob, depth !== 'quick', quarantine)
      if (finding) yield finding
      const damage = finding?.message ?? null
      checks.push({ id: blob.id, checked: time.now, damage })
      progress((done += 1), all)
    }
    // A look at sizes is no reading: it clears nothing and says nothing of the time.
    const told = depth === 'quick' ? checks.filter(({ damage }) => damage !== null) : checks
    if (told.length > 0) await remember(parts, told)
  }
}

/** A database that takes no more writes can be checked all the same. */
async function remember({ database }: CheckedParts, checks: readonly BlobCheck[]): Promise<void> {
  if (database.isWritable()) await database.write((unit) => unit.upkeep.recordChecks(checks))
}

async function* batchesOf(
  { database }: CheckedParts,
  time: DueTime,
  depth: CheckDepth,
): AsyncGenerator<readonly Blob[], void, undefined> {
  // This loop ends because each reading is recorded: on a read-only database it never would.
  if (depth === 'incremental' && database.isWritable()) {
    for (;;) {
      const due = await database.upkeep.dueBlobs(time, batchSize)
      if (due.length === 0) return
      yield due
    }
  }
  let batch: Blob[] = []
  for await (const blob of database.read.blobs.each()) {
    batch.push(blob)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  yield batch
}

async function checkBlob(
  { database, blobs }: CheckedParts,
  blob: Blob,
  reads: boolean,
  quarantine: boolean,
): Promise<Finding | undefined> {
  // Twice: a reading can fail by itself, and a blob that was deleted since is no damage.
  if (!(await examineBlob(blobs, blob, { reads }))) return undefined
  if (!(await database.read.blobs.find(blob.id))) return undefined
  const damage = await examineBlob(blobs, blob, { reads })
  if (!damage) return undefined
  const place = await (damage.isWrong
    ? setAside(blobs, blob.id, quarantine)
    : placeAside(blobs, blob.id))
  return {
    kind: 'damage',
    subject: 'blob',
    name: blob.id,
    message: `${damage.message}${place}`,
    uses: await database.upkeep.usesOf(blob.id),
  }
}

async function setAside(
  blobs: CheckedParts['blobs'],
  id: BlobId,
  quarantine: boolean,
): Promise<string> {
  if (!quarantine) return ''
  try {
    await blobs.quarantine(id)
    return '; set aside in quarantine'
  } catch (error) {
    // On a disk that takes no more writes it stays where it is: the rest is looked at all the same.
    if (!isProblem(error, 'storage_failed', 'storage_degraded', 'storage_full')) throw error
    return '; not set aside, for nothing can be written there'
  }
}

/** A rebuild on another database may have set it aside. */
async function placeAside(blobs: CheckedParts['blobs'], id: BlobId): Promise<string> {
  const aside = await blobs.findAside(id)
  return aside === undefined ? '' : `; bytes of it are in ${aside}`
}

/** Blobs in the store that no row names. */
async function* checkStore(
  parts: CheckedParts,
  { signal }: CheckOptions,
): AsyncGenerator<Finding, void, undefined> {
  const { database, blobs } = parts
  const nameless = new Set<BlobId>()
  for await (const entry of blobs.list()) {
    signal.throwIfAborted()
    if ('strange' in entry) {
      yield { kind: 'strange', subject: 'file', name: entry.strange, message: 'is none of ours' }
    } else if (!(await isNamed(database, entry.id))) nameless.add(entry.id)
  }
  const strange =
    nameless.size === 0
      ? undefined
      : await findStrangeFiles(parts, (id) => nameless.has(id as BlobId), signal)
  for (const id of nameless) {
    // An upload that has ended since has its row by now, and a deleted file no bytes.
    if (await isNamed(database, id)) continue
    if ((await blobs.size(id)) === undefined) continue
    const manifest = strange?.blobs.get(id)
    const found = { subject: 'blob', name: id }
    if (!manifest) yield { kind: 'garbage', ...found, message: 'is named by no row; see gc' }
    else {
      const message = `is a file of ${nameOfManifest(manifest)}, which the database does not have`
      yield { kind: 'strange', ...found, message }
    }
  }
}
