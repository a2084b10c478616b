import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkObjects, checkRootFiles, workName } from '../../core/packages/ocfl/check-root.ts'
import type { Inventory } from '../../core/packages/ocfl/inventory.ts'
import { openStorageRoot } from '../../core/packages/ocfl/storage-root.ts'
import { addVersions, openObject } from '../../core/packages/ocfl/write-object.ts'

/** An object of a root as a reader of OCFL finds it. */
export interface FoundObject {
  /** Absolute. */
  readonly folder: string
  readonly inventory: Inventory
}

/** All faults of a root, its bytes read; each as its code, path and message. */
export async function faultsOfRoot(root: string): Promise<readonly string[]> {
  const files = await checkRootFiles(root)
  const faults = files.errors.map(({ code, path, message }) => `${code} ${path} ${message}`)
  for await (const found of checkObjects(root, files, { reads: true })) {
    const all = 'object' in found ? found.errors : [found]
    const start = 'object' in found ? `${found.object}/` : ''
    faults.push(...all.map(({ code, path, message }) => `${code} ${start}${path} ${message}`))
  }
  return faults
}

/** The objects of a root without faults, by their ids. */
export async function objectsOf(root: string): Promise<readonly FoundObject[]> {
  const found: FoundObject[] = []
  const files = await checkRootFiles(root)
  for await (const each of checkObjects(root, files, { reads: false })) {
    if ('object' in each && each.inventory)
      found.push({ folder: join(root, each.object), inventory: each.inventory })
  }
  return found.toSorted((one, other) => (one.inventory.id < other.inventory.id ? -1 : 1))
}

/** The bytes of a file of a version, by its logical path. */
export async function readLogical(
  { folder, inventory: { manifest, versions } }: FoundObject,
  version: string,
  logical: string,
): Promise<Buffer> {
  const [digest = ''] =
    Object.entries(versions[version]?.state ?? {}).find(([, paths]) => paths.includes(logical)) ??
    []
  return readFile(join(folder, manifest[digest]?.[0] ?? logical))
}

/** Logical paths of a version, sorted. */
export function logicalPaths({ inventory }: FoundObject, version: string): readonly string[] {
  return Object.values(inventory.versions[version]?.state ?? {})
    .flat()
    .toSorted()
}

/** Every file of a root, but those of a run that was killed. */
export async function filesOfRoot(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((file) => join(file.parentPath, file.name))
  return paths.filter((path) => !path.includes(`/${workName}/`)).toSorted()
}

/** Adds an object of another program to a root. */
export async function foreignObject(path: string, id: string): Promise<void> {
  await using root = await openStorageRoot(path)
  const text = 'theirs\n'
  const digest = createHash('sha256').update(text).digest('hex')
  const file = { path: 'a.txt', digest, writeTo: (target: string) => writeFile(target, text) }
  const version = { created: '2026-01-01T00:00:00Z', message: 'one', user: { name: 'They' } }
  const versions = async function* () {
    yield { ...version, files: [file] }
  }
  await addVersions(root, id, await openObject(root, id), versions())
}
