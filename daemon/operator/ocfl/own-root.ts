import { join } from 'node:path'
import { count } from '../../../core/base/amounts.ts'
import { mostInventoryBytes } from '../../../core/packages/ocfl/check-object.ts'
import { checkObjects, checkRootFiles } from '../../../core/packages/ocfl/check-root.ts'
import type { OcflFinding } from '../../../core/packages/ocfl/finding.ts'
import { readSmall } from '../../../core/packages/ocfl/folder-tree.ts'
import type { Inventory } from '../../../core/packages/ocfl/inventory.ts'
import { objectNames } from '../../../core/packages/ocfl/record-names.ts'
import type { StorageRoot } from '../../../core/packages/ocfl/storage-root.ts'
import { DamagedObject, openObject } from '../../../core/packages/ocfl/write-object.ts'
import {
  canonicalJson,
  isProblem,
  parseManifest,
  type RecordManifest,
} from '../../../core/index.ts'
import type { WorkContext } from '../command/operator-command.ts'

/** What keeps a root, or some of its objects, from being written to. */
export interface JudgedRoot {
  /** Of the root itself, or of a root that has nothing of this service. */
  readonly faults: readonly OcflFinding[]
  /** Of objects, by their folders. */
  readonly odd: ReadonlyMap<string, readonly OcflFinding[]>
  /** By which its objects are named; undefined if it has none. */
  readonly origin: string | undefined
}

/**
 * Judges whether a root is whole, and which of its objects are and have a record of this service. An
 * object that an interrupted run left unfinished is finished, if the root may be written to.
 */
export async function findFaults(
  context: WorkContext,
  root: StorageRoot,
  signal: AbortSignal,
): Promise<JudgedRoot> {
  const { errors, hasOurLayout } = await checkRootFiles(root.path)
  const faults: OcflFinding[] = [...errors]
  const odd = new Map<string, readonly OcflFinding[]>()
  const layout = { code: 'E083', path: 'ocfl_layout.json', message: 'it names another layout' }
  if (!hasOurLayout) return { faults: [...faults, layout], odd, origin: undefined }
  const unfinished: { readonly object: string; readonly id: string }[] = []
  let origin: string | undefined
  let isOurs = false
  for await (const found of checkObjects(root.path, { hasOurLayout }, { reads: false })) {
    signal.throwIfAborted()
    if (!('object' in found)) {
      faults.push(found)
      continue
    }
    const { object, inventory, errors, sizes } = found
    if (inventory === undefined) {
      odd.set(object, within(object, errors))
      continue
    }
    const named = origin ?? URL.parse(inventory.id)?.origin
    const manifest = await readManifest(join(root.path, object), inventory, inventory.head)
    const foreign = await strangeness(context, manifest, { inventory, origin: named })
    const own = [...errors, ...faultsOfSizes(inventory, manifest, sizes)]
    if (foreign === undefined) {
      origin = named
      isOurs = true
    }
    if (foreign !== undefined)
      odd.set(object, [{ code: 'foreign', path: object, message: foreign }])
    else if (own.length > 0 && own.every(isOfInterruption))
      unfinished.push({ object, id: inventory.id })
    else if (own.length > 0) odd.set(object, within(object, own))
  }
  if (faults.length > 0 || (!isOurs && odd.size > 0))
    return { faults: [...faults, ...[...odd.values()].flat()], odd, origin }
  for (const { object, id } of unfinished) {
    try {
      await openObject(root, id)
    } catch (error) {
      if (!(error instanceof DamagedObject)) throw error
      odd.set(object, [{ code: 'E046', path: object, message: error.message }])
    }
  }
  return { faults, odd, origin }
}

/** Faults of an object that a run was killed at: a further version, or an older sidecar. */
function isOfInterruption({ code, path }: OcflFinding): boolean {
  return code === 'E046' || (code === 'E060' && path === 'inventory.json')
}

function within(object: string, errors: readonly OcflFinding[]): readonly OcflFinding[] {
  return errors.map((found) => ({ ...found, path: `${object}/${found.path}`.replace(/\/$/, '') }))
}

/** Files of a record that are not as long as its manifest says: their digests are not compared here. */
function faultsOfSizes(
  inventory: Inventory,
  manifest: RecordManifest | undefined,
  sizes: ReadonlyMap<string, number>,
): readonly OcflFinding[] {
  const blobs = (manifest?.files ?? []).flatMap(({ versions }) => versions.map(({ blob }) => blob))
  return blobs.flatMap(({ sha256, size }) =>
    (inventory.manifest[sha256] ?? [])
      .filter((path) => (sizes.get(path) ?? size) !== size)
      .map((path) => {
        const message = `it has ${count(sizes.get(path) ?? 0, 'byte')}, and the record ${size}`
        return { code: 'E092', path, message }
      }),
  )
}

interface FoundObject {
  readonly inventory: Inventory
  /** By which the objects of the root are named. */
  readonly origin: string | undefined
}

/** Why an object is none of this service; undefined if it is one. */
async function strangeness(
  { parts, addresses }: WorkContext,
  manifest: RecordManifest | undefined,
  { inventory, origin }: FoundObject,
): Promise<string | undefined> {
  const { id, digestAlgorithm } = inventory
  if (manifest === undefined || digestAlgorithm !== 'sha256' || origin === undefined)
    return `no service of this kind wrote it: ${id}`
  const { pid, revision, created, metadata } = manifest
  if (addresses.recordLinks(origin).recordPage(pid.value) !== id)
    return `its id, "${id}", is not an address of ${pid.value} at ${origin}`
  const record = await parts.database.read.records.findRevision(pid.value, revision)
  // `updated` moves when an identifier is registered, or the record is withdrawn.
  const isSame =
    record?.created === created && canonicalJson(record.metadata) === canonicalJson(metadata)
  return isSame ? undefined : `this service has no such revision ${revision} of ${pid.value}`
}

/** The manifest in a version of an object; undefined if it has none that is whole. */
export async function readManifest(
  ...asked: Parameters<typeof findManifest>
): Promise<RecordManifest | undefined> {
  const found = await findManifest(...asked)
  return found === 'unreadable' ? undefined : found
}

/** The same, where it matters whether there is none, or one that a newer program wrote. */
export async function findManifest(
  folder: string,
  { manifest, versions }: Inventory,
  version: string,
): Promise<RecordManifest | 'unreadable' | undefined> {
  const [digest] =
    Object.entries(versions[version]?.state ?? {}).find(([, paths]) =>
      paths.includes(objectNames.manifest),
    ) ?? []
  const [path] = manifest[digest ?? ''] ?? []
  if (path === undefined) return undefined
  const text = await readSmall(join(folder, path), mostInventoryBytes)
  try {
    const found = text === undefined ? 'unreadable' : parseManifest(text)
    return found === 'unreadable' || Number(found.format) === 1 ? found : 'unreadable'
  } catch (error) {
    if (isProblem(error, 'damaged_file')) return 'unreadable'
    throw error
  }
}
