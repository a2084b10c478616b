import { createHash } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inParallel } from '../../base/in-parallel.ts'
import { syncFolder, syncPath } from '../../base/durable-files.ts'
import { codeOf } from '../../base/errno.ts'
import { parseInventory } from './check-inventory.ts'
import { mostInventoryBytes } from './check-object.ts'
import { readSmall } from './folder-tree.ts'
import {
  inventoryText,
  inventoryType,
  sidecarName,
  versionNumber,
  type Inventory,
  type Version,
} from './inventory.ts'
import { objectDeclaration } from './layout.ts'
import type { ObjectPlace } from './storage-root.ts'

/** A file of a version. */
export interface NewFile {
  /** Logical path. */
  readonly path: string
  /** SHA-256, in hexadecimal digits. */
  readonly digest: string
  /** Writes the bytes to a new file, and compares them with the digest; they need not be durable yet. */
  readonly writeTo: (path: string) => Promise<void>
}

/** A version to be added to an object. */
export interface NewVersion extends Omit<Version, 'state'> {
  readonly files: readonly NewFile[]
}

/** The head of an object that is there, and its folder. */
export interface StoredObject {
  readonly folder: string
  /** Undefined if there is no such object yet. */
  readonly inventory: Inventory | undefined
}

/** An object that no interruption explains. */
export class DamagedObject extends Error {
  override readonly name = 'DamagedObject'
}

/**
 * Opens an object of a root. Finishes or removes a version that an interrupted run left unfinished.
 *
 * @throws {DamagedObject} it is something else
 */
export async function openObject(root: ObjectPlace, id: string): Promise<StoredObject> {
  const folder = join(root.path, root.pathOf(id))
  const inventory = await readHead(root, folder)
  if (inventory === undefined) {
    if (existsSync(folder)) throw new DamagedObject('it has no inventory')
    return { folder, inventory }
  }
  if (inventory.id !== id) throw new DamagedObject(`its id is "${inventory.id}"`)
  const head = versionNumber(inventory.head) ?? 0
  for (const name of await readdir(folder)) {
    if ((versionNumber(name) ?? 0) <= head) continue
    await requireUnfinished(folder, name, inventory)
    // Out of the object in one step.
    await rename(join(folder, name), join(await root.draft(), name))
    await syncFolder(folder)
  }
  return { folder, inventory }
}

/** The inventory in the root of an object; its sidecar is written if only that is missing. */
async function readHead(root: ObjectPlace, folder: string): Promise<Inventory | undefined> {
  const text = await readSmall(join(folder, 'inventory.json'), mostInventoryBytes)
  if (text === undefined) return undefined
  const { inventory, errors } = parseInventory(text, 'inventory.json')
  if (inventory === undefined || errors.length > 0)
    throw new DamagedObject(errors[0]?.message ?? 'its inventory cannot be read')
  const name = sidecarName(inventory.digestAlgorithm)
  const sidecar = sidecarText(inventory, text)
  const found = await readSmall(join(folder, name))
  if (found?.split(/\s/)[0]?.toLowerCase() === sidecar.split(' ')[0]) return inventory
  const latest = join(folder, inventory.head)
  const isUnfinished =
    (await readSmall(join(latest, 'inventory.json'), mostInventoryBytes)) === text &&
    (await readSmall(join(latest, name))) === sidecar
  if (!isUnfinished) throw new DamagedObject('its inventory does not match its digest')
  const draft = join(await root.draft(), name)
  await writeNew(draft, [sidecar])
  await syncPath(draft)
  await rename(draft, join(folder, name))
  await syncFolder(folder)
  return inventory
}

async function requireUnfinished(
  folder: string,
  name: string,
  { id, head }: Inventory,
): Promise<void> {
  const text = await readSmall(join(folder, name, 'inventory.json'), mostInventoryBytes)
  const inventory = text === undefined ? undefined : parseInventory(text, name).inventory
  if (inventory?.id === id && inventory.head === name) return
  throw new DamagedObject(`it has a folder ${name} beside its head ${head}`)
}

/**
 * Adds versions to an object, or makes it. The versions are written apart and durably; then each
 * takes its place by a rename, the inventory of the object after them, and its sidecar at the end.
 * Whatever interrupts it, the object has its old versions, and {@link openObject} its new ones or
 * none of them.
 *
 * @returns the names of the new versions
 */
export async function addVersions(
  root: ObjectPlace,
  id: string,
  { folder, inventory }: StoredObject,
  versions: AsyncIterable<NewVersion>,
): Promise<readonly string[]> {
  const draft = await root.draft()
  const object = join(draft, 'object')
  try {
    await mkdir(object)
    const names: string[] = []
    const written: string[] = [object]
    let head = inventory
    for await (const version of versions) {
      head = await writeVersion(object, id, head, version, written)
      names.push(head.head)
    }
    if (head === undefined || names.length === 0) return names
    written.push(...(await writeInventory(object, head)))
    if (inventory === undefined) {
      const declaration = join(object, objectDeclaration.name)
      await writeNew(declaration, [objectDeclaration.text])
      written.push(declaration)
    }
    // At once, which costs a disk far less than one after another.
    await inParallel(written, atOnce, () => syncPath)
    if (inventory === undefined) {
      await moveIn(draft, object, root.path, root.pathOf(id))
      return names
    }
    // Nothing waits in between: a kill leaves hardly a moment in which the object is not whole.
    for (const name of [...names, 'inventory.json', sidecarName('sha256')])
      renameSync(join(object, name), join(folder, name))
    await syncFolder(folder)
    return names
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Puts a new object in its place in one step: with its parents, if they are not there. */
async function moveIn(draft: string, object: string, root: string, path: string): Promise<void> {
  const steps = path.split('/')
  const apart = join(draft, 'parents')
  await mkdir(join(apart, ...steps.slice(0, -1)), { recursive: true })
  await rename(object, join(apart, ...steps))
  for (let depth = steps.length - 1; depth > 0; depth -= 1)
    await syncFolder(join(apart, ...steps.slice(0, depth)))
  let outermost = steps
  for (;;) {
    let there = 0
    while (there < steps.length - 1 && existsSync(join(root, ...steps.slice(0, there + 1))))
      there += 1
    outermost = steps.slice(0, there + 1)
    try {
      await rename(join(apart, ...outermost), join(root, ...outermost))
      break
    } catch (error) {
      // Another object has just brought that parent.
      const isThere = ['EEXIST', 'ENOTEMPTY'].includes(codeOf(error)) && there < steps.length - 1
      if (!isThere) throw error
    }
  }
  await syncFolder(dirname(join(root, ...outermost)))
}

/** Files written at once: small ones wait for the disk, or for the network. */
const atOnce = 8

/**
 * Writes the folder of a version; bytes that an older version has are not written again.
 *
 * @param written gets the paths of all files and folders
 */
async function writeVersion(
  object: string,
  id: string,
  before: Inventory | undefined,
  { files, ...facts }: NewVersion,
  written: string[],
): Promise<Inventory> {
  const name = `v${(versionNumber(before?.head ?? '') ?? 0) + 1}`
  const manifest: Record<string, readonly string[]> = { ...before?.manifest }
  const state: Record<string, string[]> = {}
  const fresh = new Map<string, NewFile>()
  for (const file of files) {
    const logical = (state[file.digest] ??= [])
    logical.push(file.path)
    if (!Object.hasOwn(manifest, file.digest) && !fresh.has(file.digest))
      fresh.set(file.digest, file)
  }
  await mkdir(join(object, name))
  const content = join(object, name, 'content')
  const folders = new Map([[join(object, name), Promise.resolve()]])
  const placed = new Map<string, string>()
  await inParallel([...fresh.values()], atOnce, () => async (file) => {
    placed.set(file.digest, await place(content, file, folders))
  })
  for (const digest of fresh.keys()) {
    const path = placed.get(digest) ?? ''
    manifest[digest] = [`${name}/content/${path}`]
    written.push(join(content, path))
  }
  const inventory: Inventory = {
    id,
    type: inventoryType,
    digestAlgorithm: 'sha256',
    head: name,
    contentDirectory: 'content',
    manifest,
    versions: { ...before?.versions, [name]: { ...facts, state } },
  }
  written.push(...(await writeInventory(join(object, name), inventory)))
  for (const folder of folders.keys()) if (existsSync(folder)) written.push(folder)
  return inventory
}

/** Errors of file systems that cannot have the name of a file, or have another file of it. */
const cannotName = new Set(['EEXIST', 'EINVAL', 'EILSEQ', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR'])

/**
 * Writes a file under its logical path, or under its digest where the disk cannot have that: it may
 * know no case, or fewer characters.
 *
 * @returns its path below `content`
 */
async function place(content: string, file: NewFile, folders: Folders): Promise<string> {
  const other = `by-digest/${file.digest}`
  try {
    return await placeAt(content, file.path, file, folders)
  } catch (error) {
    if (!cannotName.has(codeOf(error))) throw error
    return placeAt(content, other, file, folders)
  }
}

async function placeAt(
  content: string,
  path: string,
  file: NewFile,
  folders: Folders,
): Promise<string> {
  const steps = ['.', ...path.split('/').slice(0, -1)]
  for (const [at] of steps.entries()) {
    const folder = join(content, ...steps.slice(0, at + 1))
    const made = folders.get(folder) ?? mkdir(folder)
    folders.set(folder, made)
    await made
  }
  await file.writeTo(join(content, path))
  return path
}

/** Folders of a version that are made, or being made. */
type Folders = Map<string, Promise<void>>

/** @returns the paths of the inventory and its sidecar */
async function writeInventory(folder: string, inventory: Inventory): Promise<readonly string[]> {
  const hash = createHash('sha256')
  const pieces = function* () {
    for (const piece of inventoryText(inventory)) {
      hash.update(piece)
      yield piece
    }
  }
  const paths = ['inventory.json', sidecarName('sha256')].map((name) => join(folder, name))
  const [path = '', sidecar = ''] = paths
  await writeNew(path, pieces())
  await writeNew(sidecar, [`${hash.digest('hex')} inventory.json\n`])
  return paths
}

function sidecarText({ digestAlgorithm }: Inventory, text: string): string {
  return `${createHash(digestAlgorithm).update(text).digest('hex')} inventory.json\n`
}

/** Longest text that is gathered before it is written. */
const mostGathered = 1_000_000

async function writeNew(path: string, pieces: Iterable<string>): Promise<void> {
  await using file = await open(path, 'wx', 0o644)
  let gathered = ''
  for (const piece of pieces) {
    gathered += piece
    if (gathered.length < mostGathered) continue
    await file.appendFile(gathered)
    gathered = ''
  }
  await file.appendFile(gathered)
}
