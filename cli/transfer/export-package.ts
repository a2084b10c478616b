import { createReadStream } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeFolders } from '../../core/base/durable-files.ts'
import { writtenFiles, type PackageName } from '../../core/contract/exports.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { Connection } from '../client/connection.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { withRetries } from '../client/retry.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Progress } from '../output/progress.ts'
import { downloadFiles, isThere, placeFile } from './download-files.ts'
import { fetchRemote, streamTo, type Remote } from './fetch-part.ts'
import { requireNoFileAsFolder, requireSafeNames } from './safe-target.ts'
import { toLocalNames } from './local-names.ts'
import { readLocalHeader, ZipCheck, type StoredFile } from './zip-check.ts'

/** A package at the server, and the files that must be in it. */
export interface FoundPackage {
  readonly remote: Remote & { readonly changed: Failure }
  readonly files: readonly FileBody[]
  /** Where they are in the archive: `7f3k2-9x8w1/data/`. */
  readonly prefix: string
  /** The folder in which everything lies. */
  readonly folder: string
  /** Matches what may be written for the package: paths below the folder. */
  readonly written: RegExp
}

interface ExportOptions {
  readonly connection: Connection
  readonly progress: Progress
  /** Overwrites existing files with other bytes. */
  readonly replace: boolean
  /** Parallel downloads. */
  readonly jobs: number
}

/**
 * Finds the package of a record; of a draft its files alone.
 *
 * @param revision of the record; the newest by default
 * @throws {Failure} a draft has no such package
 */
export async function findPackage(
  client: DepositClient,
  { id, links, metadata }: DepositBody,
  name: PackageName,
  revision?: number,
): Promise<FoundPackage> {
  const tried = `export ${id}`
  const isDraft = metadata._deposit?.status !== 'published' && name === 'zip'
  const record = isDraft ? undefined : links['record']
  if (record === undefined && name !== 'zip') {
    const said = `a draft can be had as zip alone, not as ${name}`
    throw new Failure(
      { tried, said, next: advice.checkAndPublish(id) },
      { exitCode: exitCodes.refused },
    )
  }
  const files = await client.listFiles(id)
  const packages = record === undefined ? links['packages'] : `${record}/packages`
  const path = `${packages}/${name}${revision === undefined ? '' : `?revision=${revision}`}`
  const { connection } = client
  const { headers } = await withRetries(connection.patience(true), async () => {
    const response = await connection.send(tried, { method: 'HEAD', path })
    response.resume()
    return response
  })
  const size = Number(headers['content-length'])
  if (!Number.isSafeInteger(size) || headers.etag === undefined) {
    const said = 'the server does not say how long the package is'
    throw new Failure({ tried, said, next: advice.checkUrl() })
  }
  if (size < leastBytes) {
    const said = `the server says that the package has ${size} bytes, fewer than any ZIP archive`
    throw new Failure({ tried, said, next: advice.distrustServer() })
  }
  const folder = decodeURIComponent(new URL(record ?? id, 'http://localhost').pathname)
    .split('/')
    .at(-1)
  const said = 'the package has changed since the export began'
  return {
    remote: {
      name: `the ${name} package of ${id}`,
      path,
      size,
      etag: headers.etag,
      changed: new Failure({ tried, said, next: advice.runAgain() }),
    },
    files,
    folder: `${folder}/`,
    written: writtenFiles[name],
    prefix: `${folder}/${name === 'bagit' ? 'data/' : ''}`,
  }
}

/** Of an archive without files. @see APPNOTE 6.3.10, §4.3.16 */
const leastBytes = 22

/** Writes the archive to an open stream. @throws {Failure} as `fetchTo` */
export function writeArchive(
  found: FoundPackage,
  connection: Connection,
  sink: NodeJS.WritableStream,
): Promise<void> {
  return streamTo(sink, connection, { remote: found.remote, judge: checkOf(found) })
}

/**
 * Saves the archive as a file. It has its name only once all of it is there and right; an export
 * that was interrupted continues.
 *
 * @returns the path; undefined where the file is there already
 */
export function saveArchive(
  path: string,
  found: FoundPackage,
  options: ExportOptions,
): Promise<string | undefined> {
  const { remote } = found
  return placeFile(
    { root: dirname(path), replace: options.replace },
    {
      filename: basename(path),
      version: `${remote.path}\n${remote.etag}`,
      size: remote.size,
      isPresent: async ({ path: present, size }) => {
        if (size !== remote.size) return false
        const check = checkOf(found)
        for await (const chunk of createReadStream(present)) check.update(chunk as Buffer)
        return check.isRight()
      },
      fetch: (part) => fetchRemote(part, options, { remote, judge: () => checkOf(found) }),
    },
  )
}

/**
 * Saves what is in the archive as a folder. The files of the deposit are downloaded as such; those
 * that the server writes for the package are ranges of the archive.
 *
 * @returns the paths written
 */
export async function saveFolder(
  root: string,
  found: FoundPackage,
  { files, written }: FolderContent,
  options: ExportOptions,
): Promise<readonly string[]> {
  const inside = found.prefix.slice(found.folder.length)
  await requireOwnFolder(root, { files, written, found, inside }, options)
  makeFolders(root)
  const paths = await downloadFiles({ ...options, root: join(root, inside) }, files)
  const others: string[] = []
  for (const file of written) {
    const path = await placeFile(
      { root, replace: options.replace },
      {
        filename: file.name.slice(found.folder.length),
        version: `${file.name}\n${found.remote.etag}`,
        size: file.size,
        isPresent: (present) => hasSum(present, file),
        fetch: (part) => fetchWritten(part, found, file, options),
      },
    )
    if (path !== undefined) others.push(path)
    options.progress.fileDone()
  }
  return [...paths, ...others]
}

/** Downloads that were interrupted have such names. */
const partPattern = /^\.deposit-[\da-f]+\.part$/

interface Planned extends Pick<FolderContent, 'files' | 'written'> {
  readonly found: FoundPackage
  /** Folder of the payload in the package, with a slash; empty for none. */
  readonly inside: string
}

/**
 * Looks before anything is written whether the folder has another package: half of one and half of
 * another would be neither.
 *
 * @throws {Failure} it has a description of other files, or a payload with files of another
 */
async function requireOwnFolder(
  root: string,
  { files, written, found, inside }: Planned,
  { replace }: ExportOptions,
): Promise<void> {
  for (const file of replace ? [] : written) {
    const path = join(root, file.name.slice(found.folder.length))
    const size = await stat(path).then(
      (stats) => stats.size,
      () => undefined,
    )
    if (size !== undefined && !(await hasSum({ path, size }, file))) throw isThere(path)
  }
  if (inside === '') return
  const payload = join(root, inside)
  // A bag has the description of a crate beside the files.
  const described = written.map(({ name }) => name.slice(found.folder.length + inside.length))
  const own = new Set([...files.map(({ filename }) => filename), ...described])
  const present = await readdir(payload, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of present) {
    if (entry.isDirectory() || partPattern.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    if (!own.has(relative(payload, path).split(sep).join('/'))) throw isForeign(path)
  }
}

function isForeign(path: string): Failure {
  return new Failure(
    {
      tried: 'export the package',
      said: `the folder has a file of something else: ${path}`,
      next: advice.nameEmptyFolder(),
    },
    { exitCode: exitCodes.refused },
  )
}

/** The files of a package under the names that they have in a folder. */
export interface FolderContent {
  /** Those of the deposit. */
  readonly files: readonly FileBody[]
  /** Those that the server writes for the package. */
  readonly written: readonly WrittenFile[]
  /** What a person has to know of the names. */
  readonly notes: readonly string[]
}

interface WrittenFile extends StoredFile {
  /** The place of its bytes in the archive. */
  readonly start: number
}

/** @throws {Failure} names are not safe, or exclude each other */
export async function findContent(
  found: FoundPackage,
  connection: Connection,
): Promise<FolderContent> {
  requireSafeNames(found.files, 'export the files')
  requireNoFileAsFolder(found.files)
  const written = await findWritten(found, connection)
  requireSafeNames(
    written.map(({ name }) => ({ filename: name })),
    'export the files',
  )
  return { ...toLocalNames(found.files), written }
}

/** Bytes that hold the header of any file. */
const headerBytes = 4096

/** Files that are written for a package come before those of the deposit. */
async function findWritten(
  { remote, folder, prefix, files, written: allowed }: FoundPackage,
  connection: Connection,
): Promise<readonly WrittenFile[]> {
  const own = new Set(files.map(({ filename }) => prefix + filename))
  const written: WrittenFile[] = []
  for (let at = 0; at < remote.size;) {
    const bytes = await readRange(remote, connection, at)
    const file = readLocalHeader(bytes)
    if (file === undefined || own.has(file.name) || !file.name.startsWith(folder)) break
    const start = at + file.headerLength
    if (file.name !== folder) {
      const path = file.name.slice(folder.length)
      if (!allowed.test(path)) throw isNotOfPackage(path)
      written.push({ ...file, start })
    }
    at = start + file.size
  }
  return written
}

/** A server might have commands of a shell or of git written to the folder of a user. */
function isNotOfPackage(path: string): Failure {
  return new Failure({
    tried: 'export the package',
    said: `the server says that ${JSON.stringify(path)} is in it, which is no file of the record nor of such a package`,
    next: advice.distrustServer(),
  })
}

async function readRange(
  { path, etag, size, changed }: FoundPackage['remote'],
  connection: Connection,
  start: number,
): Promise<Buffer> {
  const last = Math.min(start + headerBytes, size) - 1
  return withRetries(connection.patience(true), async () => {
    const range = { range: `bytes=${start}-${last}`, 'if-range': etag }
    const response = await connection.send('export', { method: 'GET', path, headers: range })
    if (response.statusCode !== 206) {
      response.destroy()
      throw changed
    }
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  })
}

async function fetchWritten(
  part: string,
  { remote }: FoundPackage,
  file: WrittenFile,
  options: ExportOptions,
): Promise<void> {
  const { name, size, start } = file
  if (size === 0) {
    if (!new SumCheck(file).isRight()) throw isNotOfPackage(name)
    return writeFile(part, '')
  }
  await fetchRemote(part, options, {
    remote: { ...remote, name, size, start },
    judge: () => new SumCheck(file),
  })
}

async function hasSum(
  { path, size }: { readonly path: string; readonly size: number },
  file: StoredFile,
): Promise<boolean> {
  if (size !== file.size) return false
  const check = new SumCheck(file)
  for await (const chunk of createReadStream(path)) check.update(chunk as Buffer)
  return check.isRight()
}

/** Compares bytes with the CRC-32 in an archive. */
class SumCheck {
  readonly #file: StoredFile
  #sum = 0

  constructor(file: StoredFile) {
    this.#file = file
  }

  update(chunk: Buffer): void {
    this.#sum = crc32(chunk, this.#sum)
  }

  isRight(): boolean {
    return this.#sum === this.#file.crc32
  }
}

function checkOf({ files, prefix, folder, written }: FoundPackage): ZipCheck {
  const digests = files.map(
    ({ filename, checksum }) => [prefix + filename, checksum.replace('sha256:', '')] as const,
  )
  const mayHave = (name: string): boolean =>
    name === folder || (name.startsWith(folder) && written.test(name.slice(folder.length)))
  return new ZipCheck(new Map(digests), mayHave)
}
