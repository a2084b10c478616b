import { advice } from '../advice.ts'
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inParallel } from '../../core/base/in-parallel.ts'
import { spareBuffers } from '../../core/base/threads.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Connection } from '../client/connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Progress } from '../output/progress.ts'
import { fetchPart } from './fetch-part.ts'
import { hasDigest } from '../client/file-digest.ts'
import { findParents, inTheWay, makeParents } from './safe-target.ts'

interface DownloadOptions {
  readonly connection: Connection
  /** Everything is written below it. */
  readonly root: string
  /** Overwrites existing files with other bytes. */
  readonly replace: boolean
  /** Parallel downloads. */
  readonly jobs: number
  readonly progress: Progress
}

/**
 * Downloads files into a folder in parallel; existing files with the same digest are skipped. Each
 * is written under a temporary name and renamed once its digest is right. After an interruption the
 * next run fetches only the rest.
 *
 * @returns the paths written, in the order of `files`
 */
export async function downloadFiles(
  options: DownloadOptions,
  files: readonly FileBody[],
): Promise<readonly string[]> {
  spareBuffers()
  const written = new Map<FileBody, string>()
  await inParallel(files, options.jobs, () => async (file) => {
    const path = await downloadFile(options, file)
    if (path !== undefined) written.set(file, path)
    options.progress.fileDone()
  })
  return files.flatMap((file) => written.get(file) ?? [])
}

/**
 * The files that a download to `root` would fetch. Nothing is written.
 *
 * @throws {Failure} as {@link downloadFiles}, where something else has the place of a file
 */
export async function findAbsent(
  { root, replace }: Pick<DownloadOptions, 'root' | 'replace'>,
  files: readonly FileBody[],
): Promise<readonly FileBody[]> {
  const absent: FileBody[] = []
  for (const file of files) {
    const path = findParents(root, file.filename)
    if (await isWanted(path, (found) => hasDigest(found, file), replace)) absent.push(file)
  }
  return absent
}

/** A file that is to be written below a folder. */
interface Placed {
  /** Its path there, with slashes. */
  readonly filename: string
  /** Another one for other bytes: a part of these is never continued. */
  readonly version: string
  /** Bytes. */
  readonly size: number
  /** Whether a file has these bytes. */
  readonly isPresent: (found: { readonly path: string; readonly size: number }) => Promise<boolean>
  /** Writes them to a temporary file, and verifies them. */
  readonly fetch: (part: string) => Promise<void>
}

/**
 * Writes a file under a temporary name, and gives it its own once its bytes are right.
 *
 * @returns the path; undefined if the file was present
 * @throws {Failure} something else is there that is not to be replaced
 */
export async function placeFile(
  { root, replace }: Pick<DownloadOptions, 'root' | 'replace'>,
  { filename, version, size, isPresent, fetch }: Placed,
): Promise<string | undefined> {
  const path = makeParents(root, filename)
  if (!(await isWanted(path, isPresent, replace))) return undefined
  const part = join(dirname(path), `.deposit-${partName(filename, version)}.part`)
  await fetch(part)
  try {
    // Meanwhile somebody may have put a link in place of a folder.
    makeParents(root, filename)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  const fetched = lstatSync(part, { throwIfNoEntry: false })
  if (fetched?.size === size) await rename(part, path).catch(ignoreMissing)
  else if (fetched !== undefined) throw otherWrites(path)
  // Another command that fetched the same at the same time may have been first.
  const placed = lstatSync(path, { throwIfNoEntry: false })
  if (placed?.size === size) return path
  throw otherWrites(path)
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

function otherWrites(path: string): Failure {
  return new Failure(
    {
      tried: `write ${path}`,
      said: 'another command wrote it at the same time',
      next: advice.runAgain(),
    },
    { exitCode: exitCodes.refused },
  )
}

/**
 * False if the file is present.
 *
 * @throws {Failure} something else is there that is not to be replaced
 */
async function isWanted(
  path: string,
  isPresent: Placed['isPresent'],
  replace: boolean,
): Promise<boolean> {
  const present = lstatSync(path, { throwIfNoEntry: false })
  if (present === undefined) return true
  if (!present.isFile()) throw inTheWay(path, 'file')
  if (await isPresent({ path, size: present.size })) return false
  if (!replace) throw isThere(path)
  return true
}

/** The path written; undefined if the file was present. */
function downloadFile(options: DownloadOptions, file: FileBody): Promise<string | undefined> {
  return placeFile(options, {
    filename: file.filename,
    version: file.version_id,
    size: file.filesize,
    isPresent: (found) => hasDigest(found, file),
    fetch: (part) => fetchPart(part, options, file),
  })
}

/** The temporary name: short and of safe characters. */
function partName(filename: string, version: string): string {
  return createHash('sha256').update(`${filename}\n${version}`).digest('hex').slice(0, 32)
}

export function isThere(path: string): Failure {
  return new Failure(
    {
      tried: `write ${path}`,
      said: 'a different file of that name exists',
      next: advice.replaceOrElsewhere(),
    },
    { exitCode: exitCodes.refused },
  )
}
