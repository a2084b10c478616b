import { inBatches } from '../base/in-parallel.ts'
import { isProblem } from '../errors/errors.ts'
import type { Blob, BlobId } from '../files/file.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Database } from '../ports/database.ts'
import type { ManifestStore } from '../ports/manifest-store.ts'
import { examineBlob } from './examine-blob.ts'
import { findStrangeFiles, nameOfManifest } from './strange-manifests.ts'

export interface CopyBlobsOptions {
  /** Told how many blobs, and how many bytes, are in the other store. */
  readonly progress: (blobs: number, size: number) => void
  /** Told of each blob that is not what its row says: it is not copied. */
  readonly damaged: (blob: Blob) => void
  readonly signal: AbortSignal
}

/** Blobs copied at once: small ones wait for the network most of the time. */
const atOnce = 8

/**
 * Copies blobs from one store into another and compares every digest: of what is there already,
 * from a run that was stopped, too.
 *
 * @returns how many are in the other store
 */
export async function copyBlobs(
  blobs: AsyncIterable<Blob>,
  from: BlobStore,
  to: BlobStore,
  { progress, damaged, signal }: CopyBlobsOptions,
): Promise<number> {
  let [count, size] = [0, 0]
  const copyOne = async (blob: Blob): Promise<void> => {
    signal.throwIfAborted()
    if (!(await isThere(to, blob)) && !(await isCopied(from, to, blob, signal))) {
      damaged(blob)
      return
    }
    count += 1
    size += blob.size
    progress(count, size)
  }
  for await (const batch of inBatches(blobs, atOnce)) {
    // Wait for all: no copy may still be written when a failure ends the copying.
    const settled = await Promise.allSettled(batch.map(copyOne))
    for (const one of settled) if (one.status === 'rejected') throw one.reason
  }
  return count
}

/** Copies every manifest that can be read; @returns how many. */
export async function copyManifests(
  from: ManifestStore,
  to: ManifestStore,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for await (const name of from.list()) {
    signal.throwIfAborted()
    if ('strange' in name) continue
    const manifest = await from.read(name)
    if (!manifest) continue
    await to.write(manifest)
    count += 1
  }
  return count
}

/** Files of published records or revisions that the rows do not know, which are not copied. */
export interface LeftBehind {
  readonly blobs: number
  /** Number of the manifests without a row; one of them is named. */
  readonly manifests: number
  readonly such?: string
}

export async function findLeftBehind(
  source: {
    readonly database: Database
    readonly blobs: BlobStore
    readonly manifests: ManifestStore
  },
  signal: AbortSignal,
): Promise<LeftBehind> {
  const strange = await findStrangeFiles(source, () => true, signal)
  const isLeft = async (id: string): Promise<boolean> => {
    signal.throwIfAborted()
    // A draft of the rows may have a file of a record that they do not know.
    if (await source.database.read.blobs.find(id as BlobId)) return false
    return (await source.blobs.size(id as BlobId)) !== undefined
  }
  let blobs = 0
  for (const id of strange.blobs.keys()) if (await isLeft(id)) blobs += 1
  const { manifests, such } = strange
  return { blobs, manifests, ...(such && { such: nameOfManifest(such) }) }
}

/** A damaged copy is removed, to be copied again. */
async function isThere(store: BlobStore, blob: Blob): Promise<boolean> {
  if ((await store.size(blob.id)) === undefined) return false
  if (!(await examineBlob(store, blob, { reads: true }))) return true
  await store.remove(blob.id)
  return false
}

async function isCopied(
  from: BlobStore,
  to: BlobStore,
  { id, size, sha256 }: Blob,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const bytes = await from.read(id)
    const copy = await to.write(id, bytes, { limit: size, expectedSize: size, signal })
    if (copy.size === size && copy.sha256 === sha256) return true
    await to.remove(id)
    return false
  } catch (error) {
    if (isProblem(error, 'damaged_file', 'file_too_large')) return false
    throw error
  }
}
