import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { checkObjects, checkRootFiles } from '../../../core/packages/ocfl/check-root.ts'
import { versionNames, type Inventory } from '../../../core/packages/ocfl/inventory.ts'
import { isProblem } from '../../../core/index.ts'
import type { BlobId, BlobStore, ManifestStore, RecordManifest } from '../../../core/index.ts'
import { findManifest } from './own-root.ts'

/** The stores that records are brought back to. */
interface Stores {
  readonly blobs: BlobStore
  readonly manifests: ManifestStore
}

interface ImportVoice {
  /** Told of damage: a sentence each. */
  readonly lost: (message: string) => void
  /** Told of objects that are none of ours. */
  readonly foreign: (message: string) => void
  readonly progress: (objects: number, bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Brings bytes and manifests of all whole objects of a storage root into stores, from which the rows
 * can then be made. Objects with faults are left out as a whole; what is there already is kept.
 */
export async function importRoot(
  root: string,
  stores: Stores,
  { lost, foreign, progress, signal }: ImportVoice,
): Promise<void> {
  const files = await checkRootFiles(root)
  for (const { path, code, message } of files.errors) lost(`${path || root}: ${message} (${code}).`)
  const seen = new Set<string>()
  let [objects, bytes] = [0, 0]
  for await (const found of checkObjects(root, files, { reads: true })) {
    signal.throwIfAborted()
    const faults = 'object' in found ? found.errors : [found]
    const place = 'object' in found ? found.object : undefined
    for (const { path, code, message } of faults) {
      const where = [place, path].filter((each) => each !== undefined && each !== '').join('/')
      lost(`${where}: ${message} (${code}).`)
    }
    if (!('object' in found) || faults.length > 0 || found.inventory === undefined) continue
    const { object, inventory } = found
    const all = await readManifests(join(root, object), inventory)
    if ('fault' in all) {
      const tell = all.isForeign ? foreign : lost
      tell(`${inventory.id} in ${object} ${all.fault}, and was left out.`)
      continue
    }
    const { value } = all.latest.pid
    if (seen.has(value)) {
      lost(`${inventory.id} in ${object} is another object of ${value}, and was left out.`)
      continue
    }
    seen.add(value)
    bytes += await bringBytes(join(root, object), inventory, all.latest, stores.blobs)
    // Those from before its files were destroyed name them.
    const isDestroyed = all.latest.deposit.withdrawal?.bytesDestroyed === true
    for (const manifest of all.revisions) {
      const named = isDestroyed ? { ...manifest, files: all.latest.files } : manifest
      await bringManifest(stores.manifests, named)
    }
    objects += 1
    progress(objects, bytes)
  }
}

type Manifests =
  | { readonly latest: RecordManifest; readonly revisions: readonly RecordManifest[] }
  | { readonly fault: string; readonly isForeign?: true }

/** The manifest of each revision; the last one, where several versions have the same. */
async function readManifests(folder: string, inventory: Inventory): Promise<Manifests> {
  const byRevision = new Map<number, RecordManifest>()
  for (const version of versionNames(inventory)) {
    const manifest = await findManifest(folder, inventory, version)
    if (manifest === undefined) return { fault: 'was not written by depositd', isForeign: true }
    if (manifest === 'unreadable')
      return { fault: `has a manifest in ${version} that this version cannot read` }
    byRevision.set(manifest.revision, manifest)
  }
  const revisions = [...byRevision.values()].toSorted((one, other) => one.revision - other.revision)
  const latest = revisions.at(-1)
  if (latest === undefined || revisions.some(({ revision }, at) => revision !== at))
    return { fault: 'does not have every revision' }
  const named = blobsOf(latest)
  const lacking = named.find(({ sha256 }) => inventory.manifest[sha256] === undefined)
  if (lacking === undefined) return { latest, revisions }
  return { fault: `does not have the bytes of ${lacking.key}` }
}

function blobsOf({ files }: RecordManifest) {
  return files.flatMap(({ key, versions }) => versions.map(({ blob }) => ({ ...blob, key })))
}

/** @returns how many were written */
async function bringBytes(
  folder: string,
  { manifest }: Inventory,
  latest: RecordManifest,
  blobs: BlobStore,
): Promise<number> {
  let bytes = 0
  for (const { id, size, sha256 } of blobsOf(latest)) {
    const blob = id as BlobId
    const path = join(folder, manifest[sha256]?.[0] ?? '')
    if ((await blobs.size(blob)) === size) continue
    await blobs.remove(blob)
    const stream = createReadStream(path)
    const written = await blobs.write(blob, stream, { limit: size, expectedSize: size })
    bytes += size
    if (written.sha256 === sha256 && written.size === size) continue
    await blobs.remove(blob)
    throw new Error(`${path} changed while it was read`)
  }
  return bytes
}

async function bringManifest(manifests: ManifestStore, manifest: RecordManifest): Promise<void> {
  const { revision, pid } = manifest
  try {
    if (await manifests.read({ value: pid.value, revision })) return
  } catch (error) {
    if (!isProblem(error, 'damaged_file')) throw error
  }
  await manifests.write(manifest)
}
