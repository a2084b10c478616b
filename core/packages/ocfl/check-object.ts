import { createHash } from 'node:crypto'
import { checkDigests, type ObjectCheck } from './check-digests.ts'
import { parseInventory } from './check-inventory.ts'
import { checkOlderInventory } from './check-versions.ts'
import { Findings, type OcflFinding } from './finding.ts'
import {
  contentFolder,
  sidecarName,
  versionNames,
  versionNumber,
  type Inventory,
  type ReadInventory,
} from './inventory.ts'
import type { Tree } from './tree.ts'

/** An object that was judged. */
export interface CheckedObject {
  readonly errors: readonly OcflFinding[]
  readonly warnings: readonly OcflFinding[]
  /** Undefined if it cannot be read. */
  readonly inventory: Inventory | undefined
}

/** Longest inventory that is read. Bytes. */
export const mostInventoryBytes = 400_000_000

const declaration = /^0=ocfl_object_(1\.[01])$/

/**
 * Judges an object by every MUST of OCFL 1.1 that can be seen in its files, and by its SHOULDs.
 *
 * @see https://ocfl.io/1.1/spec/
 */
export async function checkObject(tree: Tree, options: ObjectCheck): Promise<CheckedObject> {
  const findings = new Findings()
  for (const { field, message } of tree.faults) findings.add('E090', field, message)
  const version = await checkDeclaration(tree, findings)
  const root = await readInventory(tree, '', findings)
  if (root === undefined) return { inventory: undefined, ...findings.all }
  const { inventory } = root
  if (version !== undefined && !inventory.type.includes(`/${version}/`))
    findings.add('E038', 'inventory.json', `its type is not that of OCFL ${version}`)
  checkTop(tree, inventory, findings)
  const names = versionNames(inventory)
  const older: Inventory[] = []
  for (const name of names) {
    const found = await checkVersionFolder(tree, name, root, findings)
    if (found) older.push(found)
  }
  checkNewerTypes(older, inventory, findings)
  checkManifestFiles(tree, [...older, inventory], findings)
  if (options.reads) await checkDigests(tree, [inventory, ...older], options, findings)
  return { inventory, ...findings.all }
}

async function checkDeclaration(tree: Tree, findings: Findings): Promise<string | undefined> {
  const named = tree.files.filter(({ path }) => /^0=[^/]*$/.test(path))
  const [file, ...further] = named
  if (file === undefined || further.length > 0) {
    const said = file === undefined ? 'it has no file 0=ocfl_object_1.1' : 'it has several of them'
    findings.add('E003', further[0]?.path ?? '', said)
  }
  if (file === undefined) return undefined
  const [, version] = declaration.exec(file.path) ?? []
  if (version === undefined) {
    findings.add('E004', file.path, 'it does not declare an object of OCFL 1.0 or 1.1')
    return undefined
  }
  const text = await readText(tree, file.path, 100)
  if (text !== `${file.path.slice(2)}\n`)
    findings.add('E007', file.path, `it is not "${file.path.slice(2)}" and a newline`)
  return version
}

/**
 * Reads the inventory in a folder of the object, and compares it with its sidecar.
 *
 * @param folder empty for the root
 */
async function readInventory(
  tree: Tree,
  folder: string,
  findings: Findings,
): Promise<ReadInventory | undefined> {
  const path = folder === '' ? 'inventory.json' : `${folder}/inventory.json`
  const text = await readText(tree, path, mostInventoryBytes)
  if (text === undefined) {
    const isThere = tree.files.some((file) => file.path === path)
    findings.add('E063', path, isThere ? 'it cannot be read' : 'it is missing')
    return undefined
  }
  const parsed = parseInventory(text, path)
  findings.addAll(parsed)
  const { inventory } = parsed
  if (inventory !== undefined) await checkSidecar(tree, path, { inventory, text }, findings)
  return inventory && { inventory, text }
}

async function checkSidecar(
  tree: Tree,
  inventoryPath: string,
  { inventory: { digestAlgorithm }, text }: ReadInventory,
  findings: Findings,
): Promise<void> {
  const path = `${inventoryPath}.${digestAlgorithm}`
  const sidecar = await readText(tree, path, 1000)
  if (sidecar === undefined) {
    findings.add('E058', path, 'it is missing')
    return
  }
  const [, digest] = /^([\da-fA-F]+)[ \t]+inventory\.json\r?\n?$/.exec(sidecar) ?? []
  if (digest === undefined) findings.add('E061', path, 'it is not a digest and "inventory.json"')
  else if (digest.toLowerCase() !== createHash(digestAlgorithm).update(text).digest('hex'))
    findings.add('E060', inventoryPath, `its digest is not the one in ${path}`)
}

function checkTop(tree: Tree, inventory: Inventory, findings: Findings): void {
  const known = new Set(['inventory.json', sidecarName(inventory.digestAlgorithm)])
  for (const { path } of tree.files) {
    if (path.includes('/')) continue
    if (!known.has(path) && !path.startsWith('0='))
      findings.add('E001', path, 'an object does not have this file')
  }
  for (const path of tree.folders) {
    const [top = '', child, ...rest] = path.split('/')
    if (top === 'extensions' && child !== undefined && rest.length === 0) {
      if (!/^\d{4}-/.test(child)) findings.add('W013', path, 'no extension of this name is known')
    }
    const isVersion = versionNumber(top) !== undefined
    if (child !== undefined || (isVersion && Object.hasOwn(inventory.versions, top))) continue
    if (top === 'extensions' || top === 'logs') continue
    const said = isVersion ? 'the inventory has no such version' : 'an object has no such folder'
    findings.add(isVersion ? 'E046' : 'E001', top, said)
  }
  for (const { path } of tree.files) {
    if (/^extensions\/[^/]+$/.test(path))
      findings.add('E067', path, 'extensions has folders, and no files')
  }
}

/** The inventory of a version, if it has one that can be read. */
async function checkVersionFolder(
  tree: Tree,
  name: string,
  root: ReadInventory,
  findings: Findings,
): Promise<Inventory | undefined> {
  if (!tree.folders.has(name)) {
    findings.add('E010', name, 'the folder of this version is missing')
    return undefined
  }
  const content = contentFolder(root.inventory)
  const inside = tree.files.filter(({ path }) => path.startsWith(`${name}/`))
  const own = inside.filter(({ path }) => !path.slice(name.length + 1).includes('/'))
  const inventories = /^inventory\.json(?:\.sha(?:256|512))?$/
  for (const { path } of own) {
    if (!inventories.test(path.slice(name.length + 1)))
      findings.add('E015', path, 'a version does not have this file beside its content')
  }
  checkFolders(tree, name, content, findings)
  if (!own.some(({ path }) => path === `${name}/inventory.json`)) {
    if (name === root.inventory.head) {
      findings.add('W010', name, 'the latest version has no inventory')
    } else findings.add('W010', name, 'this version has no inventory')
    return undefined
  }
  const found = await readInventory(tree, name, findings)
  if (found === undefined) return undefined
  checkOlderInventory(name, found, root, findings)
  return found.inventory
}

function checkFolders(tree: Tree, name: string, content: string, findings: Findings): void {
  const filled = new Set<string>()
  for (const { path } of tree.files) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (filled.has(path.slice(0, at))) break
      filled.add(path.slice(0, at))
    }
  }
  const start = `${name}/${content}`
  for (const folder of tree.folders) {
    if (!folder.startsWith(`${name}/`)) continue
    if (folder === start) {
      if (!filled.has(folder)) findings.add('W003', folder, 'it is empty')
    } else if (folder.startsWith(`${start}/`)) {
      if (!filled.has(folder)) findings.add('E024', folder, 'it is empty')
    } else if (!folder.slice(name.length + 1).includes('/'))
      findings.add('W002', folder, `it is not the folder "${content}" of the version`)
  }
}

/** Versions may go on to a later specification, never back. */
function checkNewerTypes(older: readonly Inventory[], root: Inventory, findings: Findings): void {
  const all = [...older, root]
  for (const [index, { type, head }] of all.entries()) {
    const next = all[index + 1]
    if (next && type > next.type)
      findings.add('E103', `${head}/inventory.json`, 'its version is of a later OCFL than the next')
  }
}

/** Compares the names of files with all manifests. */
function checkManifestFiles(
  tree: Tree,
  inventories: readonly Inventory[],
  findings: Findings,
): void {
  const there = new Set(tree.files.map(({ path }) => path))
  const root = inventories.at(-1)
  const content = contentFolder(root ?? {})
  const missing = new Set<string>()
  for (const inventory of new Set(inventories)) {
    const named = new Set(Object.values(inventory.manifest).flat())
    for (const path of named) {
      if (there.has(path) || missing.has(path)) continue
      missing.add(path)
      findings.add('E092', path, 'it is missing')
    }
    for (const [algorithm, block] of Object.entries(inventory.fixity ?? {})) {
      for (const path of Object.values(block).flat()) {
        if (!there.has(path) && !missing.has(path))
          findings.add('E093', path, `it is missing, and has a digest of ${algorithm}`)
      }
    }
    const last = versionNumber(inventory.head) ?? 0
    for (const path of there) {
      const [version = '', folder, ...rest] = path.split('/')
      const number = versionNumber(version)
      if (number === undefined || folder !== content || rest.length === 0) continue
      const isOurs = number <= last && Object.hasOwn(inventory.versions, version)
      if (isOurs && !named.has(path)) {
        const where = inventory === root ? 'the manifest' : `the manifest of ${inventory.head}`
        findings.add('E023', path, `${where} does not have it`)
      }
    }
  }
}

/** Undefined if the file is not there, is larger, or cannot be read. */
async function readText(tree: Tree, path: string, most: number): Promise<string | undefined> {
  const file = tree.files.find((each) => each.path === path)
  if (file === undefined || file.size > most) return undefined
  const chunks: Buffer[] = []
  try {
    for await (const chunk of tree.read(file)) chunks.push(chunk)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}
