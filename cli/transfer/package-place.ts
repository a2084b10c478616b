import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { fromBagInfo } from '../metadata/foreign/bag-info.ts'
import { isForeign } from '../../core/contract/foreign-values.ts'
import { translate } from '../metadata/foreign/foreign-files.ts'
import { readJson } from '../packages/read-json.ts'
import { fromDataciteXml } from '../../core/contract/foreign/datacite-xml.ts'
import { decodeXml, namesOfMetadata } from '../metadata/other-access.ts'
import type { MetadataFile } from '../metadata/read-metadata.ts'
import type { Finding } from '../output/finding.ts'
import type { Progress, Transfer } from '../output/progress.ts'
import { count } from '../output/units.ts'
import { readBytes, toPackageLine } from '../packages/contents.ts'
import { findFaults, openPackage, type OpenPackage } from '../packages/open-package.ts'
import type { Crate } from '../packages/read-crate.ts'
import { datapackageFile, isOfCrate, pageFile } from '../packages/recognise.ts'
import { reasonOf } from '../reason.ts'
import type { FoundFile } from './read-folder.ts'
import { makeWorkFolder } from './work-folder.ts'

/** Notes about a bag or a crate without faults. */
export interface Verified {
  readonly remarks: readonly string[]
  readonly warnings: readonly string[]
  /** Names of files in a folder that were written for a package, and are no data. */
  readonly generated?: ReadonlySet<string>
}

/** A bag, or an archive of a bag or crate, of which a deposit is made; its digests are right. */
export interface Place extends Verified, AsyncDisposable {
  /** The folder of the metadata files; of an archive, one with copies of them alone. */
  readonly folder: string
  /** The same, as the user would name it. */
  readonly shown: string
  /** Further folders with metadata that may limit access. */
  readonly beside: readonly string[]
  /** Those that the service which wrote a bag gave it, where the user's files have others. */
  readonly given: MetadataFile | undefined
  /** Metadata for the case that no file has any. */
  readonly fallback: MetadataFile | undefined
  readonly files: readonly FoundFile[]
  readonly isArchive: boolean
}

export interface PlaceOptions {
  /** Takes ZIP archives, too. */
  readonly archives?: boolean | undefined
  /** Takes nothing for a package. */
  readonly asIs?: boolean | undefined
  /** False leaves out the digests: nothing will be sent. */
  readonly digests?: boolean | undefined
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined
  /** Shows the progress of reading. */
  readonly onVerify?: ((transfer: Transfer) => Promise<Progress>) | undefined
}

/**
 * As `openPlace`, of a path that may be one: a bag, or any archive.
 *
 * @param path absolute
 */
export async function openRecognised(
  path: string,
  dir: string,
  options: PlaceOptions,
): Promise<Place | undefined> {
  await using opened = await openPackage(path).catch((cause: unknown) => {
    throw badPackage(dir, [{ field: '', message: reasonOf(cause) }], cause)
  })
  if (opened.kind === 'zip' && opened.errors.length === 0) return undefined
  const sha256 = await verify(dir, opened, options)
  return opened.isArchive
    ? await toArchive(path, dir, opened, sha256)
    : await toBag(path, dir, opened)
}

/** SHA-256 of the files by their paths, in hexadecimal digits; empty without `digests`. */
async function verify(
  dir: string,
  opened: OpenPackage,
  options: PlaceOptions,
): Promise<ReadonlyMap<string, string>> {
  if (options.digests === false && opened.errors.length === 0) return new Map()
  using progress = await showProgress(opened.contents.files, options)
  const { errors, sha256 } = await findFaults(opened, progress)
  if (errors.length > 0) throw badPackage(dir, errors)
  return sha256
}

export async function showProgress(
  files: readonly { readonly size: number }[],
  { onVerify, signal }: PlaceOptions,
): Promise<Progress> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const shown = await onVerify?.({ verb: 'Verifying', files: files.length, bytes })
  return {
    advance: (read) => {
      signal?.throwIfAborted()
      shown?.advance(read)
    },
    fileDone: () => shown?.fileDone(),
    [Symbol.dispose]: () => shown?.[Symbol.dispose](),
  }
}

export function badPackage(dir: string, faults: readonly Finding[], cause?: unknown): Failure {
  return new Failure(
    {
      tried: `take the files of ${dir}`,
      said: `it has ${count(faults.length, 'fault')}, listed above`,
      next: advice.getAgain(dir),
    },
    { exitCode: exitCodes.usage, faults, listed: faults.map(toPackageLine), cause },
  )
}

/** The remark about a bag, a crate or an archive. */
export function sayWhole(dir: string, kind: string, files: number): string {
  return `${dir} is a ${kind} without faults, with a payload of ${count(files, 'file')}`
}

/** @param files how many were written for a package */
export function sayGenerated(files: number): readonly string[] {
  if (files === 0) return []
  return [
    `Its description is not sent: ${count(files, 'file')} that a deposit service wrote, and writes anew`,
  ]
}

const kinds = {
  bag: 'bag',
  'ro-crate': 'crate',
  datapackage: 'Data Package',
  zip: 'archive',
  folder: 'folder',
} as const

function describe(dir: string, { kind, warnings, payload }: OpenPackage, files: number): Verified {
  return {
    remarks: [sayWhole(dir, kinds[kind], files), ...sayGenerated(payload.length - files)],
    warnings: warnings.map((found) => `${dir}: ${toPackageLine(found)}`),
  }
}

/** Describes the record in a bag whose crate is the user's. */
const detachedFile = 'metadata/ro-crate-metadata.json'

async function givenIn(
  dir: string,
  { kind, contents }: OpenPackage,
): Promise<MetadataFile | undefined> {
  if (kind !== 'bag' || !contents.files.some(({ path }) => path === detachedFile)) return undefined
  const read = await readJson(contents, detachedFile)
  if (!('value' in read) || !isForeign(read.value)) return undefined
  const found = await translate('ro-crate-metadata.json', read.value)
  return found?.origin && { file: join(dir, detachedFile), ...found }
}

/** Of `metadata/datacite.xml`, else of `bag-info.txt`. */
async function fallbackOf(
  dir: string,
  { kind, info, contents }: OpenPackage,
): Promise<MetadataFile | undefined> {
  if (kind !== 'bag') return undefined
  const name = 'metadata/datacite.xml'
  const file = contents.files.find(({ path }) => path === name)
  const bytes = file && (await readBytes(contents, file, mostXmlBytes).catch(() => undefined))
  const metadata = bytes && fromDataciteXml(decodeXml(bytes))
  if (metadata) return { file: join(dir, name), metadata, notTaken: [] }
  const found = fromBagInfo(info)
  return found && { ...found, file: join(dir, 'bag-info.txt') }
}

async function toBag(path: string, dir: string, opened: OpenPackage): Promise<Place> {
  const payload = payloadOf(opened)
  return {
    folder: join(path, 'data'),
    shown: join(dir, 'data'),
    beside: [join(path, 'metadata'), path],
    given: await givenIn(dir, opened),
    fallback: await fallbackOf(dir, opened),
    files: payload.map(({ file: { path: name, size }, key }) => {
      return { path: join(path, name), name: key, size }
    }),
    isArchive: false,
    ...describe(dir, opened, payload.length),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Metadata files that {@link namesOfMetadata} lists are copied: those who read them read folders. */
async function toArchive(
  path: string,
  dir: string,
  opened: OpenPackage,
  sha256: ReadonlyMap<string, string>,
): Promise<Place> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeWorkFolder('metadata'))
  await copyMetadata(opened, folder)
  const [given, fallback] = [await givenIn(dir, opened), await fallbackOf(dir, opened)]
  const isBag = opened.kind === 'bag'
  const payload = payloadOf(opened)
  const kept = stack.move()
  return {
    folder: isBag ? join(folder, 'data') : folder,
    shown: isBag ? join(dir, 'data') : dir,
    beside: isBag ? [join(folder, 'metadata'), folder] : [],
    given,
    fallback,
    files: payload.map(({ file, key }) => ({
      path: join(path, file.path),
      name: key,
      size: file.size,
      packed: { archive: path, file, digest: `sha256:${sha256.get(file.path) ?? ''}` },
    })),
    isArchive: true,
    ...describe(dir, opened, payload.length),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Larger ones are data. Bytes. */
const mostBytes = 64 * 1000 * 1000
const mostXmlBytes = 4 * 1000 * 1000

async function copyMetadata({ contents }: OpenPackage, to: string): Promise<void> {
  for (const file of contents.files) {
    const [, name = ''] = /^(?:data\/|metadata\/)?([^/]+)$/.exec(file.path) ?? []
    if (!namesOfMetadata.includes(name) || file.size > mostBytes) continue
    const bytes = await readBytes(contents, file, mostBytes)
    await mkdir(dirname(join(to, file.path)), { recursive: true })
    await writeFile(join(to, file.path), bytes)
  }
}

/**
 * The files of a record. In a package of a service of this kind, the description was written for the
 * package, unless a bag has one of its own beside.
 */
function payloadOf({ kind, payload, info, contents, isGenerated, crate }: OpenPackage) {
  const isOurBag =
    kind === 'bag' &&
    info.some(({ label, value }) => /^bag-software-agent$/i.test(label) && value === 'depositd') &&
    !contents.files.some(({ path }) => path === detachedFile) &&
    crate?.isChanged !== true
  if (!isOurBag && !isGenerated) return payload
  return payload.filter(({ key }) => !isDescription(key, kind, crate))
}

/** The names under which a service of this kind describes a package. */
export function isDescription(
  name: string,
  kind: OpenPackage['kind'],
  crate: Pick<Crate, 'hasOwnPage'> | undefined,
): boolean {
  if (kind === 'datapackage') return name === datapackageFile
  return isOfCrate(name) && !(crate?.hasOwnPage && name === pageFile)
}
