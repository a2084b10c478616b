import { stat } from 'node:fs/promises'
import type { BagField } from '../../core/packages/bag-format.ts'
import type { Finding, Findings } from '../output/finding.ts'
import type { Progress } from '../output/progress.ts'
import { about, clashes, sayClash, within, type Contents, type PackedFile } from './contents.ts'
import { checkDigests, type Promised } from './digests.ts'
import { readFolderContents } from './folder-contents.ts'
import { isBag, readBag } from './read-bag.ts'
import { readDatapackage, type DataPackage } from './read-datapackage.ts'
import { datapackageFile } from './recognise.ts'
import { findCrateFile, namesOf, readCrate, type Crate } from './read-crate.ts'
import { readZipContents } from './zip-contents.ts'

/** A file that a record would have. */
export interface PayloadFile {
  readonly file: PackedFile
  /** Its name in a record. */
  readonly key: string
}

/** A folder or archive, without the bytes of its files. */
export interface OpenPackage extends Findings, AsyncDisposable {
  readonly kind: 'bag' | 'ro-crate' | 'datapackage' | 'zip' | 'folder'
  readonly isArchive: boolean
  /** Without the one folder that an archive has everything in. */
  readonly contents: Contents
  readonly payload: readonly PayloadFile[]
  /** Digests that it states, by path. */
  readonly promised: ReadonlyMap<string, readonly Promised[]>
  /** Identifiers and addresses that it gives of itself. */
  readonly names: readonly string[]
  /** Elements of `bag-info.txt`. */
  readonly info: readonly BagField[]
  /** Its description was written by a service of this kind for the package, unless it is a bag. */
  readonly isGenerated: boolean
  /** The description of a crate, which may lie in a bag. */
  readonly crate: Crate | undefined
}

/**
 * Opens a bag, a crate, an archive of either, or any other folder or archive, and finds every fault
 * but those of bytes.
 *
 * @throws {NoArchive} it is a file, and no archive
 */
export async function openPackage(path: string): Promise<OpenPackage> {
  const isArchive = (await stat(path)).isFile()
  const all = await (isArchive ? readZipContents(path) : readFolderContents(path))
  const [folder, contents] = isArchive ? unwrap(all) : [undefined, all]
  const own = folder !== undefined && ownId.test(folder) ? [folder] : []
  // Nothing of an archive is unpacked that has a fault.
  if (isArchive && all.faults.length > 0) return opened('zip', { contents, isArchive, names: own })
  if (isBag(contents)) return openBag(contents, isArchive, own)
  const crateFile = findCrateFile(contents)
  if (crateFile === undefined) {
    const isDescribed = contents.files.some(({ path }) => path === datapackageFile)
    const described = isDescribed ? await readDatapackage(contents) : undefined
    // A file of the name that is no descriptor may be anything.
    if (described?.names === undefined)
      return opened(isArchive ? 'zip' : 'folder', { contents, isArchive, names: own })
    return opened('datapackage', { contents, isArchive, described, names: own })
  }
  const crate = await readCrate(contents, crateFile)
  return opened('ro-crate', { contents, isArchive, crate, names: own })
}

/** Identifiers that a service of this kind gives to records and deposits: it names folders so. */
const ownId = /^(?:[\da-z]{5}-[\da-z]{5}|[\da-f]{32})$/

async function openBag(
  contents: Contents,
  isArchive: boolean,
  own: readonly string[],
): Promise<OpenPackage> {
  const bag = await readBag(contents)
  const data = within(contents, 'data')
  const crateFile = findCrateFile(data)
  const found =
    crateFile === undefined ? undefined : await readCrate(data, crateFile, { isInBag: true })
  // A file of the name that is no description of a crate may be anything.
  const crate = found?.root === undefined ? undefined : found
  const ids = bag.info.filter(({ label }) =>
    /^(?:external-identifier|internal-sender-identifier)$/i.test(label),
  )
  const names = [...ids.map(({ value }) => value), ...own]
  return opened('bag', { contents, isArchive, bag, crate, names })
}

interface Parts {
  readonly contents: Contents
  readonly isArchive: boolean
  readonly names: readonly string[]
  readonly bag?: Awaited<ReturnType<typeof readBag>>
  readonly crate?: Crate | undefined
  readonly described?: DataPackage
}

function opened(kind: OpenPackage['kind'], parts: Parts): OpenPackage {
  const { contents, isArchive, names, bag, crate, described } = parts
  const start = bag === undefined ? '' : 'data/'
  const payload = bag?.payload ?? contents.files
  const inside = (findings: readonly Finding[] = []): readonly Finding[] =>
    start === '' ? findings : findings.map((found) => ({ ...found, field: start + found.field }))
  const promised = new Map(bag?.promised)
  for (const [path, further] of crate?.promised ?? described?.promised ?? [])
    promised.set(start + path, [...(promised.get(start + path) ?? []), ...further])
  return {
    kind,
    isArchive,
    contents,
    payload: payload.map((file) => ({ file, key: file.path.slice(start.length) })),
    promised,
    names: [
      ...names,
      ...(crate?.root === undefined ? [] : namesOf(crate.root)),
      ...(described?.names ?? []),
    ],
    info: bag?.info ?? [],
    isGenerated: (bag === undefined && (crate ?? described)?.isGenerated) === true,
    crate,
    errors: [
      ...(bag?.errors ?? contents.faults),
      ...inside(crate?.errors),
      ...(described?.errors ?? []),
    ],
    warnings: [
      ...(bag?.warnings ?? []),
      ...inside(crate?.warnings),
      ...(described?.warnings ?? []),
      ...(bag === undefined ? caseTwins(contents) : []),
    ],
    [Symbol.asyncDispose]: () => contents[Symbol.asyncDispose](),
  }
}

/** Systems that know no case would write one over the other. */
function caseTwins({ files }: Contents): readonly Finding[] {
  return clashes(files.map(({ path }) => path)).map((group) => about('', sayClash(group)))
}

/** Faults of a package, and the digests of its files. */
export interface Faults {
  readonly errors: readonly Finding[]
  /** SHA-256 of each file that could be read, by its path, in hexadecimal digits. */
  readonly sha256: ReadonlyMap<string, string>
}

/**
 * Reads all bytes of a package, and finds every fault, those of {@link openPackage} among them.
 * Nothing is read of an archive with faults: it may be a bomb.
 */
export async function findFaults(
  { contents, promised, isArchive, errors }: OpenPackage,
  progress?: Pick<Progress, 'advance' | 'fileDone'>,
): Promise<Faults> {
  if (isArchive && contents.faults.length > 0) return { errors, sha256: new Map() }
  const found = await checkDigests(contents, promised, progress)
  return { errors: [...errors, ...found.errors], sha256: found.sha256 }
}

/** The folder that an archive has everything in, and its contents; macOS adds another one. */
function unwrap(all: Contents): readonly [folder: string | undefined, contents: Contents] {
  const isOfSystem = (path: string): boolean => path === '__MACOSX' || path.startsWith('__MACOSX/')
  const kept: Contents = {
    ...all,
    files: all.files.filter(({ path }) => !isOfSystem(path)),
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
  const tops = new Set([
    ...kept.files.map(({ path }) => /^[^/]*\/?/.exec(path)?.[0] ?? path),
    ...[...all.folders].flatMap((path) => (isOfSystem(path) ? [] : `${path.split('/')[0]}/`)),
  ])
  const [top, ...others] = tops
  const isWhole = top?.endsWith('/') === true && top !== 'data/' && others.length === 0
  if (!isWhole) return [undefined, kept]
  const folder = top.slice(0, -1)
  return [folder, within(kept, folder)]
}
