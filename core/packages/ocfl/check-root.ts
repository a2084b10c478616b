import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, isMissing } from '../../base/errno.ts'
import type { ObjectCheck } from './check-digests.ts'
import { checkObject, type CheckedObject } from './check-object.ts'
import { Findings, type OcflFinding } from './finding.ts'
import { readSmall, readTree } from './folder-tree.ts'
import { layoutConfig, layoutName, objectPath } from './layout.ts'

/** Where a version of a storage root is written before it has its place. */
export const workName = 'depositd-work'

/** What a folder says that it is, of any version of OCFL. */
export async function kindOf(folder: string): Promise<'root' | 'object' | undefined> {
  const names = await namesOf(folder)
  if (names.some((name) => /^0=ocfl_\d+\.\d+$/.test(name))) return 'root'
  return names.some(isObjectDeclaration) ? 'object' : undefined
}

const isObjectDeclaration = (name: string): boolean => name.startsWith('0=ocfl_object_')

async function namesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}

/** Faults of a root beside its objects, and the layout that it names. */
export interface CheckedRoot {
  readonly errors: readonly OcflFinding[]
  readonly warnings: readonly OcflFinding[]
  /** Whether it is laid out as by us. */
  readonly hasOurLayout: boolean
}

/** Judges the files of a storage root that say what it is. @see OCFL 1.1, §4 */
export async function checkRootFiles(root: string): Promise<CheckedRoot> {
  const findings = new Findings()
  await checkDeclaration(root, findings)
  const extension = await checkLayout(root, findings)
  for (const entry of await readdir(join(root, 'extensions'), { withFileTypes: true }).catch(
    () => [],
  )) {
    const path = `extensions/${entry.name}`
    if (!entry.isDirectory()) findings.add('E112', path, 'extensions has folders, and no files')
    else if (!/^\d{4}-/.test(entry.name) && entry.name !== workName)
      findings.add('W016', path, 'no extension of this name is known')
  }
  return { ...findings.all, hasOurLayout: extension === layoutName && (await hasOurConfig(root)) }
}

async function checkDeclaration(root: string, findings: Findings): Promise<void> {
  const named = (await readdir(root)).filter((name) => name.startsWith('0='))
  const [name, ...further] = named
  if (name === undefined) findings.add('E069', '', 'it has no file 0=ocfl_1.1')
  if (further.length > 0) findings.add('E076', further[0] ?? '', 'it has several declarations')
  if (name === undefined) return
  if (!/^0=ocfl_1\.[01]$/.test(name)) {
    findings.add('E077', name, 'it does not declare a storage root of OCFL 1.0 or 1.1')
  } else if ((await readSmall(join(root, name))) !== `${name.slice(2)}\n`)
    findings.add('E080', name, `it is not "${name.slice(2)}" and a newline`)
}

/** The name of the extension that lays out the objects. */
async function checkLayout(root: string, findings: Findings): Promise<string | undefined> {
  const path = 'ocfl_layout.json'
  const text = await readSmall(join(root, path))
  if (text === undefined) return undefined
  const found = parseObject(text)
  const { extension, description } = found ?? {}
  if (typeof extension !== 'string' || typeof description !== 'string') {
    findings.add('E070', path, 'it does not have the texts "extension" and "description"')
    return undefined
  }
  if (!/^\d{4}-/.test(extension))
    findings.add('E071', path, `"${extension}" is not the name of a registered extension`)
  return extension
}

async function hasOurConfig(root: string): Promise<boolean> {
  const text = await readSmall(join(root, 'extensions', layoutName, 'config.json'))
  // Values that are not given are those of the extension, which are ours.
  const given = text === undefined ? {} : (parseObject(text) ?? { extensionName: '' })
  return Object.entries(layoutConfig).every(([key, value]) => (given[key] ?? value) === value)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? { ...found } : undefined
  } catch {
    return undefined
  }
}

/** An object of a root, judged. */
export interface RootObject extends CheckedObject {
  /** Its folder below the root. */
  readonly object: string
  /** Bytes of its files by their paths below it. */
  readonly sizes: ReadonlyMap<string, number>
}

/** Judges all objects of a root, in no order, and what lies between them. */
export async function* checkObjects(
  root: string,
  { hasOurLayout }: Pick<CheckedRoot, 'hasOurLayout'>,
  options: ObjectCheck,
): AsyncGenerator<RootObject | OcflFinding, void, undefined> {
  for await (const found of objectsIn(root)) {
    if (!('object' in found)) {
      yield found
      continue
    }
    const { object } = found
    const tree = await readTree(join(root, object))
    const checked = await checkObject(tree, options)
    const sizes = new Map(tree.files.map(({ path, size }) => [path, size]))
    const id = checked.inventory?.id ?? ''
    const isElsewhere = hasOurLayout && checked.inventory && objectPath(id) !== object
    const message = `the object belongs in ${objectPath(id)}`
    const misplaced = isElsewhere ? [{ code: 'E083', path: '', message }] : []
    yield { ...checked, object, sizes, errors: [...checked.errors, ...misplaced] }
  }
}

/** Folders of objects below a root, in no order, and the faults of the hierarchy between them. */
async function* objectsIn(
  root: string,
  folder = '',
): AsyncGenerator<{ readonly object: string } | OcflFinding, void, undefined> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  if (folder !== '' && entries.some(({ name }) => isObjectDeclaration(name))) {
    yield { object: folder }
    return
  }
  if (folder !== '' && entries.length === 0)
    yield { code: 'E073', path: folder, message: 'the folder is empty' }
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (path !== 'extensions') yield* objectsIn(root, path)
    } else if (!entry.isFile()) {
      yield { code: 'E090', path, message: 'it is a link, or no file' }
    } else if (folder !== '')
      yield { code: 'E072', path, message: 'the file does not belong to an object' }
  }
}
