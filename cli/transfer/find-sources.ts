import { advice } from '../advice.ts'
import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { UsageFailure } from '../failure.ts'
import { reasonOf } from '../reason.ts'
import type { FolderState } from './folder-state.ts'
import {
  readFolder,
  type FolderContent,
  type FolderOptions,
  type FoundFile,
} from './read-folder.ts'
import { refuseNames } from './refused-names.ts'

/** Names of a folder that are not sent, for a note. */
export type LeftOut = Pick<FolderContent, 'ignored' | 'excluded'>

export const nothingLeftOut: LeftOut = { ignored: [], excluded: [] }

export interface Sources {
  readonly files: readonly FoundFile[]
  readonly leftOut: LeftOut
  /** True for a name that the folder would ignore. */
  readonly isIgnored: (name: string) => boolean
  /** Of one folder. */
  readonly state?: () => FolderState | undefined
}

interface FindOptions extends FolderOptions {
  /** Relative paths start here. */
  readonly folder: string
}

/**
 * The files for paths on the command line. A folder gives its content, named relative to it; a file
 * keeps its path as written, or its last part for a path outside the current folder.
 *
 * @throws {UsageFailure} a path cannot be read, or a folder holds what cannot be sent
 */
export async function findSources(
  paths: readonly string[],
  options: FindOptions,
): Promise<Sources> {
  const found = await Promise.all(paths.map((path) => findSource(path, options)))
  const [first] = found
  return first !== undefined && found.length === 1 ? first : together(found)
}

export function together(found: readonly Sources[]): Sources {
  return {
    files: found.flatMap(({ files }) => files),
    leftOut: {
      ignored: found.flatMap(({ leftOut }) => leftOut.ignored),
      excluded: found.flatMap(({ leftOut }) => leftOut.excluded),
    },
    isIgnored: (name) => found.some(({ isIgnored }) => isIgnored(name)),
  }
}

async function findSource(path: string, options: FindOptions): Promise<Sources> {
  const absolute = resolve(options.folder, path)
  const stats = await stat(absolute).catch((error: unknown) => cannotRead(path, error))
  if (dirname(absolute) === absolute) throw isRoot(path)
  if (stats.isDirectory()) return findFolder(absolute, options)
  if (!stats.isFile()) throw refuseNames([{ name: path, reason: 'special' }])
  const file = { path: absolute, name: nameOf(path), size: stats.size, inode: stats.ino }
  return { files: [file], leftOut: nothingLeftOut, isIgnored: () => false }
}

async function findFolder(folder: string, options: FolderOptions): Promise<Sources> {
  const content = await readFolder(folder, options)
  if (content.refused.length > 0) throw refuseNames(content.refused)
  const { files, isIgnored, ignored, excluded, state } = content
  return { files, isIgnored, leftOut: { ignored, excluded }, state }
}

function nameOf(path: string): string {
  const relative = join(path).replaceAll('\\', '/')
  const leadsOut = isAbsolute(path) || relative.split('/').includes('..')
  return leadsOut ? basename(path) : relative
}

/** Refuses `/`: most often `$FOLDER/` with an unset variable. */
function isRoot(path: string): UsageFailure {
  return new UsageFailure({
    tried: `read ${path}`,
    said: 'it is the root of the file system',
    next: advice.setVariable(),
  })
}

function cannotRead(path: string, cause: unknown): never {
  const said = reasonOf(cause)
  throw new UsageFailure({ tried: `read ${path}`, said, next: advice.checkPath() }, { cause })
}
