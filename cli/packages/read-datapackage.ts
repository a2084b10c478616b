import { quoted } from '../../core/base/plain.ts'
import type { Findings } from '../output/finding.ts'
import { count } from '../output/units.ts'
import { Report } from './bag-tags.ts'
import { faultOfPathInside, sayClash, type Contents, type PackedFile } from './contents.ts'
import { findAlgorithm, lengthOf, type Promised } from './digests.ts'
import { isGeneratedDatapackage } from './generated.ts'
import { readJson } from './read-json.ts'
import { datapackageFile } from './recognise.ts'

/** A Data Package (Frictionless), without the bytes of its files. */
export interface DataPackage extends Findings {
  /** Identifiers and addresses that it gives of itself; undefined if the file is no descriptor. */
  readonly names: readonly string[] | undefined
  /** A service of this kind wrote it for a package, and nobody changed it since. */
  readonly isGenerated: boolean
  /** Digests that it states, by path. */
  readonly promised: ReadonlyMap<string, readonly Promised[]>
}

/**
 * Reads the descriptor of a Data Package, and compares the files that it lists with those that are
 * there. Resources elsewhere are not fetched, nor are those whose data are in the descriptor a file.
 *
 * @see Data Package 1.0 and 2.0, "Data Resource"
 */
export async function readDatapackage(contents: Contents): Promise<DataPackage> {
  const report = new Report()
  const { errors, warnings } = report
  const promised = new Map<string, readonly Promised[]>()
  const descriptor = await readDescriptor(contents, report)
  // One that is no JSON any more was a descriptor, most likely.
  const isRead = errors.length === 0
  const resources = descriptor?.['resources']
  if (descriptor === undefined || !Array.isArray(resources)) {
    if (isRead) report.error(datapackageFile, 'it has no list of resources')
    return { names: isRead ? undefined : [], isGenerated: false, promised, errors, warnings }
  }
  const files = new Map(contents.files.map((file) => [file.path, file]))
  const composed = new Map(contents.files.map((file) => [file.path.normalize('NFC'), file]))
  const remote: string[] = []
  for (const resource of resources.filter(isObject)) {
    const paths = [resource['path'] ?? []].flat().filter((path) => typeof path === 'string')
    for (const path of paths) {
      if (/^(?:https?|ftps?):\/\//i.test(path)) remote.push(path)
      else {
        const file = findFile(path, { files, composed }, report)
        // Size and digest of a resource of several files are of all together.
        if (file && paths.length === 1)
          promised.set(file.path, [
            ...(promised.get(file.path) ?? []),
            ...checkFile(resource, file, report),
          ])
      }
    }
  }
  if (remote.length > 0)
    report.warn(
      datapackageFile,
      `it names ${count(remote.length, 'file')} elsewhere, which ${remote.length === 1 ? 'is' : 'are'} not fetched: ${remote.slice(0, 3).map(quoted).join(', ')}`,
    )
  const isGenerated = isGeneratedDatapackage(descriptor, resources.filter(isObject))
  return { names: namesOf(descriptor), isGenerated, promised, errors, warnings }
}

async function readDescriptor(
  contents: Contents,
  report: Report,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const read = await readJson(contents, datapackageFile)
  if ('said' in read) report.error(datapackageFile, read.said)
  return 'value' in read && isObject(read.value) ? read.value : undefined
}

function findFile(
  path: string,
  { files, composed }: Record<'files' | 'composed', ReadonlyMap<string, PackedFile>>,
  report: Report,
): PackedFile | undefined {
  const plain = path.replace(/^(?:\.\/)+/, '')
  // `a:b` is a name that the profile takes.
  const isAddress = /^(?:[a-z][a-z\d+.-]*:\/\/|file:)/i.test(plain)
  const fault = isAddress ? 'it is no path below the folder' : faultOfPathInside(plain)
  if (fault !== undefined) {
    report.error(datapackageFile, `it lists ${quoted(path)}: ${fault}`)
    return undefined
  }
  const file = files.get(plain) ?? composed.get(plain.normalize('NFC'))
  if (file !== undefined && file.path !== plain)
    report.warn(datapackageFile, sayClash([plain, file.path]))
  if (file === undefined) report.error(plain, `${datapackageFile} lists it, but it is missing`)
  return file
}

function checkFile(
  { bytes, hash }: Readonly<Record<string, unknown>>,
  { path, size }: PackedFile,
  report: Report,
): readonly Promised[] {
  if (typeof bytes === 'number' && bytes !== size)
    report.error(path, `it has ${count(size, 'byte')}, and ${bytes} in ${datapackageFile}`)
  // Without a name before it, a digest is MD5.
  const [, name = 'md5', digest = ''] =
    /^(?:([a-z\d-]+):)?([\da-f]+)$/i.exec(typeof hash === 'string' ? hash : '') ?? []
  const algorithm = digest === '' ? undefined : findAlgorithm(name)
  const isWhole = algorithm !== undefined && digest.length === lengthOf(algorithm)
  return isWhole ? [{ algorithm, digest: digest.toLowerCase(), source: datapackageFile }] : []
}

function namesOf({ id, homepage }: Readonly<Record<string, unknown>>): readonly string[] {
  return [id, homepage].filter((name) => typeof name === 'string')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
