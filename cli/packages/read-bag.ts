import {
  parseFetch,
  parsePayloadOxum,
  toPayloadOxum,
  type BagField,
} from '../../core/packages/bag-format.ts'
import type { Findings } from '../output/finding.ts'
import { count, grouped } from '../output/units.ts'
import { quoted } from '../plain.ts'
import { Manifest } from './bag-manifest.ts'
import { readBagInfo, readDeclaration, readTagFile, Report, type BagRules } from './bag-tags.ts'
import {
  clashes,
  faultOfPath,
  isOfSystem,
  sayClash,
  type Contents,
  type PackedFile,
} from './contents.ts'
import type { Promised } from './digests.ts'

/** A bag, without the bytes of its files. */
export interface Bag extends Findings {
  /** Elements of `bag-info.txt`. */
  readonly info: readonly BagField[]
  /** Files below `data/`, with it; without those that a system left there. */
  readonly payload: readonly PackedFile[]
  /** Digests of the manifests, by path. */
  readonly promised: ReadonlyMap<string, readonly Promised[]>
}

/** True for a folder or archive that says it is a bag. */
export function isBag({ files }: Contents): boolean {
  return files.some(({ path }) => path === 'bagit.txt')
}

/**
 * Reads a bag, and finds every fault but wrong digests. Files that `fetch.txt` names are never
 * fetched: one that is not there is missing.
 *
 * @see RFC 8493; versions 0.93 to 0.97 are drafts of it
 */
export async function readBag(contents: Contents): Promise<Bag> {
  const report = new Report()
  report.errors.push(...contents.faults)
  const rules = await readDeclaration(contents, report)
  const to = { rules, report }
  const info = await readBagInfo(contents, to)
  const inData = contents.files.filter(({ path }) => isPayload(path))
  if (inData.length === 0 && !contents.folders.has('data'))
    report.error('data', 'the folder of the payload is missing')
  const toFetch = await readFetch(contents, to)
  const manifests = await readManifests(contents, to)
  const promised = new Map<string, Promised[]>()
  for (const manifest of manifests) {
    for (const [path, promise] of manifest.resolve(contents, toFetch, report))
      promised.set(path, [...(promised.get(path) ?? []), promise])
  }
  const payload = inData.filter((file) => !isLeftBySystem(file, manifests))
  requireListed(payload, manifests, to)
  requireFetched(toFetch, manifests, report)
  warnOfTagFiles(contents, manifests, report)
  warnOfNames(contents, manifests, report)
  checkSum(info, payload, report)
  return { info, payload, promised, errors: report.errors, warnings: report.warnings }
}

function isPayload(path: string): boolean {
  return path.startsWith('data/')
}

interface To {
  readonly rules: BagRules
  readonly report: Report
}

async function readManifests(contents: Contents, to: To): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = []
  for (const file of contents.files) {
    const [, tag, name] = /^(tag)?manifest-([^/]+)\.txt$/i.exec(file.path) ?? []
    if (name === undefined) continue
    const text = await readTagFile(contents, file, to)
    if (text === undefined) continue
    const kind = tag === undefined ? 'payload' : 'tag'
    manifests.push(new Manifest({ kind, name: file.path, algorithm: name }, text, to))
  }
  if (!manifests.some(({ kind }) => kind === 'payload'))
    to.report.error('manifest-sha256.txt', 'there is no manifest of the payload')
  else if (!manifests.some(({ kind, algorithm }) => kind === 'payload' && algorithm !== undefined))
    to.report.error('data', 'no manifest has digests of a known kind')
  return manifests
}

/** Looking into the folder of a bag is enough for such a file to be there. */
function isLeftBySystem({ path }: PackedFile, manifests: readonly Manifest[]): boolean {
  return isOfSystem(path) && manifests.every(({ listed }) => !listed.has(path))
}

/** Before version 1.0, a manifest may leave files to the others. */
function requireListed(
  payload: readonly PackedFile[],
  manifests: readonly Manifest[],
  { rules, report }: To,
): void {
  const ofPayload = manifests.filter(({ kind }) => kind === 'payload')
  for (const { path } of payload) {
    const lacking = ofPayload.filter((manifest) => !manifest.listed.has(path))
    if (lacking.length === ofPayload.length)
      report.error(path, 'it is in the folder of the payload, but in no manifest')
    else if (rules.isStrict)
      for (const { name } of lacking) report.error(path, `${name} does not list it`)
  }
}

/** The paths of `fetch.txt`. Its addresses are only checked. */
async function readFetch(contents: Contents, to: To): Promise<ReadonlySet<string>> {
  const { report } = to
  const paths = new Set<string>()
  const file = contents.files.find(({ path }) => path === 'fetch.txt')
  if (file === undefined) return paths
  const sizes = new Map(contents.files.map(({ path, size }) => [path, size]))
  report.warn(file.path, 'the addresses in it are never fetched')
  const { entries, faults } = parseFetch((await readTagFile(contents, file, to)) ?? '')
  for (const { line, said } of faults) report.error(file.path, `line ${line}: ${said}`)
  for (const { line, ...found } of entries) {
    const path = found.path.replace(/^(?:\.\/)+/, '')
    const fault = faultOfPath(path) ?? (isPayload(path) ? undefined : 'it is not below data/')
    if (fault !== undefined) {
      report.error(file.path, `line ${line} names ${quoted(path)}: ${fault}`)
      continue
    }
    const size = sizes.get(path)
    if (size !== undefined && found.size !== undefined && size !== found.size)
      report.error(path, `it has ${count(size, 'byte')}, and ${grouped(found.size)} in fetch.txt`)
    paths.add(path)
  }
  return paths
}

function requireFetched(
  toFetch: ReadonlySet<string>,
  manifests: readonly Manifest[],
  report: Report,
): void {
  for (const path of toFetch) {
    const isListed = manifests.some(({ kind, named }) => kind === 'payload' && named.has(path))
    if (!isListed) report.error(path, 'fetch.txt names it, but no manifest does')
  }
}

/** What no tag manifest lists may change unseen. */
function warnOfTagFiles({ files }: Contents, manifests: readonly Manifest[], report: Report): void {
  const ofTags = manifests.filter(({ kind }) => kind === 'tag')
  if (ofTags.length === 0) return
  for (const { path } of files) {
    if (isPayload(path) || path === '.deposit.json' || /^tagmanifest-[^/]+\.txt$/i.test(path))
      continue
    if (!ofTags.some(({ listed }) => listed.has(path)))
      report.warn(path, 'no tag manifest lists it, so a change of it is not seen')
  }
}

function warnOfNames({ files }: Contents, manifests: readonly Manifest[], report: Report): void {
  const names = [...files.map(({ path }) => path), ...manifests.flatMap(({ named }) => [...named])]
  for (const group of clashes(names)) report.warn('', sayClash(group))
  for (const path of new Set(names))
    if (isPayload(path) && isOfSystem(path))
      report.warn(path, 'systems leave such a file in folders: remove it, unless you put it there')
}

/** Compares `Payload-Oxum`, the bytes and number of the files. */
function checkSum(info: readonly BagField[], payload: readonly PackedFile[], report: Report): void {
  const said = info.filter(({ label }) => label.toLowerCase() === 'payload-oxum')
  if (said.length > 1) report.warn('bag-info.txt', 'it has Payload-Oxum more than once')
  const bytes = payload.reduce((sum, { size }) => sum + size, 0)
  const found = toPayloadOxum({ bytes, files: payload.length })
  for (const { value } of said) {
    const oxum = parsePayloadOxum(value)
    if (oxum === undefined)
      report.error(
        'bag-info.txt',
        `Payload-Oxum is not two numbers with a dot between: ${quoted(value)}`,
      )
    else if (toPayloadOxum(oxum) !== found)
      report.error('bag-info.txt', `Payload-Oxum is ${value}, and the payload is ${found}`)
  }
}
