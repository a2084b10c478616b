import { checkObject } from '../../core/packages/ocfl/check-object.ts'
import { checkObjects, checkRootFiles } from '../../core/packages/ocfl/check-root.ts'
import type { OcflFinding } from '../../core/packages/ocfl/finding.ts'
import type { Inventory } from '../../core/packages/ocfl/inventory.ts'
import { objectNames } from '../../core/packages/ocfl/record-names.ts'
import type { Tree } from '../../core/packages/ocfl/tree.ts'
import type { Finding } from '../output/finding.ts'
import type { Progress } from '../output/progress.ts'
import { about } from '../packages/contents.ts'
import type { Compared } from './verify-package.ts'

/** An object of OCFL, or a storage root, whose bytes were read. */
export interface VerifiedOcfl {
  readonly errors: readonly Finding[]
  readonly warnings: readonly Finding[]
  /** Ids of all objects that could be read. */
  readonly ids: readonly string[]
  /** Files of the latest versions, and their bytes. */
  readonly files: number
  readonly bytes: number
  /** That of an object alone. */
  readonly inventory: Inventory | undefined
}

/** Judges an object by OCFL 1.1, and compares every digest. */
export async function verifyObject(
  tree: Tree,
  progress: Pick<Progress, 'advance' | 'fileDone'>,
): Promise<VerifiedOcfl> {
  const { errors, warnings, inventory } = await checkObject(tree, {
    reads: true,
    ...told(progress),
  })
  const sizes = new Map(tree.files.map(({ path, size }) => [path, size]))
  return {
    errors: errors.map((found) => toFinding(found)),
    warnings: warnings.filter(isTold).map((found) => toFinding(found)),
    ids: inventory === undefined ? [] : [inventory.id],
    ...sumOf(inventory, sizes),
    inventory,
  }
}

/** Judges a storage root, and every object in it. */
export async function verifyRoot(
  folder: string,
  progress: Pick<Progress, 'advance' | 'fileDone'>,
): Promise<VerifiedOcfl> {
  const root = await checkRootFiles(folder)
  const found = { errors: root.errors.map((one) => toFinding(one)), ids: [] as string[] }
  const warnings = root.warnings.map((one) => toFinding(one))
  const sums = { files: 0, bytes: 0 }
  const options = { reads: true, ...told(progress) }
  for await (const one of checkObjects(folder, root, options)) {
    if (!('object' in one)) {
      found.errors.push(toFinding(one))
      continue
    }
    found.errors.push(...one.errors.map((fault) => toFinding(fault, one.object)))
    warnings.push(...one.warnings.filter(isTold).map((fault) => toFinding(fault, one.object)))
    if (one.inventory === undefined) continue
    found.ids.push(one.inventory.id)
    const { files, bytes } = sumOf(one.inventory, one.sizes)
    sums.files += files
    sums.bytes += bytes
  }
  return { ...found, warnings, ...sums, inventory: undefined }
}

function told(progress: Pick<Progress, 'advance' | 'fileDone'>) {
  return {
    advance: (bytes: number) => progress.advance(bytes),
    fileDone: () => progress.fileDone(),
  }
}

/** SHA-256 is as good as SHA-512 for this, and every object of ours has it. */
const isTold = ({ code }: OcflFinding): boolean => code !== 'W004'

function toFinding({ code, path, message }: OcflFinding, object = ''): Finding {
  const place = [object, path].filter((part) => part !== '').join('/')
  return about(place, `${message} (${code})`)
}

function sumOf(
  inventory: Inventory | undefined,
  sizes: ReadonlyMap<string, number>,
): { readonly files: number; readonly bytes: number } {
  const paths = [...filesOf(inventory).values()].map(({ content }) => sizes.get(content) ?? 0)
  return { files: paths.length, bytes: paths.reduce((sum, size) => sum + size, 0) }
}

interface HeadFile {
  readonly digest: string
  /** Below the object. */
  readonly content: string
}

/** Files of the latest version by their logical paths. */
function filesOf(inventory: Inventory | undefined): ReadonlyMap<string, HeadFile> {
  const { state = {} } = inventory?.versions[inventory.head] ?? {}
  return new Map(
    Object.entries(state).flatMap(([digest, paths]) => {
      const content = inventory?.manifest[digest]?.[0] ?? ''
      return paths.map((path) => [path, { digest: digest.toLowerCase(), content }] as const)
    }),
  )
}

/** Compares the latest version of an object of a record with that record. */
export function compareObject(inventory: Inventory, { id, files }: Compared): readonly Finding[] {
  const found = new Map(
    [...filesOf(inventory)].flatMap(([path, file]) => {
      const key = keyOf(path)
      return key === undefined ? [] : [[key, file] as const]
    }),
  )
  const differing = files.flatMap(({ filename, checksum }) => {
    const file = found.get(filename)
    found.delete(filename)
    if (file === undefined) return [about(filename, `it is missing, and ${id} has it`)]
    const isSame = `${inventory.digestAlgorithm}:${file.digest}` === checksum
    return isSame ? [] : [about(filename, `its bytes are not those of ${id}`)]
  })
  return [...differing, ...[...found.keys()].map((key) => about(key, `${id} does not have it`))]
}

/** The name in the record of a file of an object. */
function keyOf(path: string): string | undefined {
  const { files, clashing } = objectNames
  if (path.startsWith(files)) return path.slice(files.length)
  return path.startsWith(clashing) ? decodeURIComponent(path.slice(clashing.length)) : undefined
}
