import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Finding } from '../output/finding.ts'
import type { Progress } from '../output/progress.ts'
import { count, grouped } from '../output/units.ts'
import { about, isOfSystem } from '../packages/contents.ts'
import { findFaults, type OpenPackage } from '../packages/open-package.ts'
import { datapackageFile, isOfCrate, isZip } from '../packages/recognise.ts'
import { toLocalNames } from '../transfer/local-names.ts'

/** A record, or a draft, that a package is compared with. */
export interface Compared {
  readonly id: string
  readonly files: readonly FileBody[]
}

/**
 * Reads all bytes of a package, and finds what differs from its own digests and from a record.
 *
 * @param progress gets the bytes and files that were read
 */
export async function verifyPackage(
  opened: OpenPackage,
  record: Compared | undefined,
  progress?: Pick<Progress, 'advance' | 'fileDone'>,
): Promise<readonly Finding[]> {
  const { errors, sha256 } = await findFaults(opened, progress)
  const { contents, isArchive } = opened
  if (record === undefined || (isArchive && contents.faults.length > 0)) return errors
  const known = new Set(errors.map(({ field }) => field))
  return [...errors, ...compare(opened, record, sha256).filter(({ field }) => !known.has(field))]
}

function compare(
  { payload, kind }: OpenPackage,
  { id, files }: Compared,
  sha256: ReadonlyMap<string, string>,
): readonly Finding[] {
  const stored = kind === 'folder' ? toLocalNames(files).files : files
  const byKey = new Map(payload.map((one) => [one.key.normalize('NFC'), one]))
  const keys = new Set(stored.map(({ filename }) => filename))
  const differing = stored.flatMap(({ filename, filesize, checksum }) => {
    const found = byKey.get(filename)
    if (found === undefined)
      return [
        about(`${kind === 'bag' ? 'data/' : ''}${filename}`, `it is missing, and ${id} has it`),
      ]
    const { path, size } = found.file
    if (size !== filesize)
      return [about(path, `it has ${count(size, 'byte')}, and ${grouped(filesize)} in ${id}`)]
    const isSame = `sha256:${sha256.get(path) ?? ''}` === checksum
    return isSame ? [] : [about(path, `its bytes are not those of ${id}`)]
  })
  const further = payload.filter(
    ({ key }) => !keys.has(key.normalize('NFC')) && !isPassedOver(key, kind),
  )
  return [...differing, ...further.map(({ file }) => about(file.path, `${id} does not have it`))]
}

/** Files that describe a package or a folder, and hidden ones that a system leaves in folders. */
function isPassedOver(key: string, kind: OpenPackage['kind']): boolean {
  if (isOfSystem(key)) return true
  if (kind === 'folder' && /^metadata\.(?:ya?ml|json)$/.test(key)) return true
  if (kind === 'folder') return /(?:^|\/)(?:\.[^/]*|Thumbs\.db|desktop\.ini)(?:$|\/)/i.test(key)
  return (kind !== 'zip' && isOfCrate(key)) || (kind === 'datapackage' && key === datapackageFile)
}

/** Names by which a folder is known as a package, or as a copy of a deposit. */
const marks =
  /^(?:bagit\.txt|ro-crate-metadata\.jsonld?|datapackage\.json|0=ocfl_.*|\.deposit\.json)$/

/** Names in a folder that others put packages into: those of packages, and all others. */
export async function findPackages(
  folder: string,
): Promise<{ readonly packages: readonly string[]; readonly others: readonly string[] }> {
  const [packages, others]: [string[], string[]] = [[], []]
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    const names = entry.isDirectory() ? await readdir(path).catch(() => []) : []
    const isNamed =
      entry.isDirectory() && /^(?:[\da-z]{5}-[\da-z]{5}|[\da-f]{32})$/.test(entry.name)
    const isArchive = entry.isFile() && (await isZip(path).catch(() => false))
    if (isArchive || isNamed || names.some((name) => marks.test(name))) packages.push(entry.name)
    else if (!entry.name.startsWith('.')) others.push(entry.name)
  }
  return { packages, others }
}
