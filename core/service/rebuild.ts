import { isProblem } from '../errors/errors.ts'
import type { BlobId } from '../files/file.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Database } from '../ports/database.ts'
import type { ManifestStore, RecordManifest } from '../ports/manifest-store.ts'

/** Rows that were restored, and those that were not. */
export interface Rebuilt {
  readonly records: number
  readonly revisions: number
  readonly files: number
  /** Bytes that no manifest names: those of drafts. They were set aside. */
  readonly setAside: number
}

/**
 * Makes rows again from manifests, in a database that has none: every record with all revisions,
 * files and its deposit. Drafts that were never published have no manifest, and do not come back.
 *
 * @param lost told of what is missing, a sentence each
 */
export async function rebuild(
  {
    database,
    blobs,
    manifests,
  }: {
    readonly database: Database
    readonly blobs: BlobStore
    readonly manifests: ManifestStore
  },
  lost: (message: string) => void,
): Promise<Rebuilt> {
  const byRecord = await readAll(manifests, lost)
  const named = new Set<string>()
  let revisions = 0
  for (const all of byRecord.values()) {
    const sorted = all.toSorted((one, other) => one.revision - other.revision)
    await database.write((unit) => unit.upkeep.restoreRecord(sorted))
    revisions += sorted.length
    for (const { blob, key } of blobsOf(sorted)) {
      if (named.has(blob.id)) continue
      named.add(blob.id)
      const size = await blobs.size(blob.id as BlobId)
      if (size !== blob.size) lost(`The bytes of ${key} (blob ${blob.id}) are missing or damaged.`)
    }
  }
  const setAside = await setAsideNameless(blobs, named)
  return { records: byRecord.size, revisions, files: named.size, setAside }
}

async function readAll(
  manifests: ManifestStore,
  lost: (message: string) => void,
): Promise<ReadonlyMap<string, RecordManifest[]>> {
  const byRecord = new Map<string, RecordManifest[]>()
  for await (const name of manifests.list()) {
    if ('strange' in name) continue
    try {
      const manifest = await manifests.read(name)
      if (!manifest) continue
      byRecord.set(name.value, [...(byRecord.get(name.value) ?? []), manifest])
    } catch (error) {
      if (!isProblem(error, 'damaged_file')) throw error
      lost(`The manifest of ${name.value}, revision ${name.revision}, is damaged.`)
    }
  }
  return byRecord
}

function* blobsOf(manifests: readonly RecordManifest[]) {
  for (const { files } of manifests) {
    for (const { key, versions } of files) {
      for (const { blob } of versions) yield { key, blob }
    }
  }
}

/** Bytes without a row may be all that is left of a draft, so they must not become garbage. */
async function setAsideNameless(blobs: BlobStore, named: ReadonlySet<string>): Promise<number> {
  let count = 0
  for await (const entry of blobs.list()) {
    if ('strange' in entry || named.has(entry.id)) continue
    await blobs.quarantine(entry.id)
    count += 1
  }
  return count
}
