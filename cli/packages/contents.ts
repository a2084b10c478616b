import { isPlain, quoted } from '../../core/base/plain.ts'
import { toLine, type Finding } from '../output/finding.ts'

/** A file of a package. */
export interface PackedFile {
  /** Below the package, with slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** The files of a folder or an archive. They may come from anybody, so nothing in them is trusted. */
export interface Contents extends AsyncDisposable {
  /** In path order, each path once. */
  readonly files: readonly PackedFile[]
  /** Without a slash at the end. */
  readonly folders: ReadonlySet<string>
  /** Names that cannot be in a package, such as links and paths that lead out of it. */
  readonly faults: readonly Finding[]
  /** Bytes of a file. Throws {@link UnreadableFile} while they are read. */
  readonly read: (file: PackedFile) => AsyncIterable<Buffer>
}

/** A file of a package that cannot be read, or is not what the package says. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

/** A finding about a file of a package; about the whole for an empty path. */
export function about(path: string, message: string): Finding {
  return { field: path, message }
}

/** Such a finding as a line; control characters of its name are made visible. */
export function toPackageLine(found: Finding): string {
  return toLine(isPlain(found.field) ? found : { ...found, field: quoted(found.field) })
}

/** The part of a package in a folder of it, such as `data`. */
export function within(contents: Contents, folder: string): Contents {
  if (folder === '') return contents
  const start = `${folder}/`
  const inside = (path: string): readonly string[] =>
    path.startsWith(start) ? [path.slice(start.length)] : []
  const originals = new Map(
    contents.files.flatMap((file) => inside(file.path).map((path) => [path, file] as const)),
  )
  return {
    files: [...originals].map(([path, { size }]) => ({ path, size })),
    folders: new Set([...contents.folders].flatMap(inside)),
    faults: contents.faults,
    read: ({ path, size }) => contents.read(originals.get(path) ?? { path, size }),
    [Symbol.asyncDispose]: () => contents[Symbol.asyncDispose](),
  }
}

/**
 * The text of a small file of a package.
 *
 * @param most bytes
 * @throws {UnreadableFile} it is larger, or cannot be read
 */
export async function readBytes(
  contents: Contents,
  file: PackedFile,
  most: number,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  if (file.size > most) throw new UnreadableFile(`it is larger than ${most} bytes`)
  for await (const chunk of contents.read(file)) {
    size += chunk.length
    if (size > most) throw new UnreadableFile(`it is larger than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Elsewhere `a:b` is a name as any other. */
const drive = process.platform === 'win32' ? /^[a-z]:/i : /^[a-z]:[\\/]/i

/** Names that cannot be the path of a file below a folder on every system; undefined for others. */
export function faultOfPath(path: string): string | undefined {
  if (/^~[^/]*\//.test(path) || path === '~')
    return 'the path begins with ~, which is the home folder in a shell'
  return faultOfPathInside(path)
}

/** The same of paths that a description gives of the folder it lies in, where ~ is a name. */
export function faultOfPathInside(path: string): string | undefined {
  if (path === '') return 'the name is empty'
  if (path.includes('\0')) return 'the name contains a NUL character'
  if (path.startsWith('/')) return 'the path is absolute'
  if (drive.test(path)) return 'the path begins with a Windows drive letter'
  if (path.includes('\\'))
    return 'the path contains a backslash, which separates folders on Windows'
  const steps = path.split('/')
  if (steps.includes('..')) return 'the path leads out of the package'
  if (steps.includes('') || steps.includes('.')) return 'the path has an empty or . segment'
  return undefined
}

/** True for files that systems leave in folders. */
export function isOfSystem(path: string): boolean {
  return /(?:^|\/)(?:\.DS_Store|\._[^/]*|Thumbs\.db|ehthumbs\.db|desktop\.ini)$/i.test(path)
}

/** Names that some systems take for one: they differ only in case, or in Unicode normalisation. */
export function clashes(paths: Iterable<string>): readonly (readonly string[])[] {
  const groups = Map.groupBy(new Set(paths), (path) => path.normalize('NFC').toLowerCase())
  return [...groups.values()].filter((group) => group.length > 1)
}

/** The message for one of {@link clashes}. */
export function sayClash(group: readonly string[]): string {
  const isCase = new Set(group.map((path) => path.normalize('NFC'))).size > 1
  const kind = isCase ? 'case' : 'Unicode normalisation'
  return `${group.map(quoted).join(' and ')} differ only in ${kind}`
}
