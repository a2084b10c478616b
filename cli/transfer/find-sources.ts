import { stat } from 'node:fs/promises'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { UsageFailure } from '../failure.ts'
import { reasonOf } from '../reason.ts'
import { readFolder, type FoundFile } from './read-folder.ts'

export interface Sources {
  readonly files: readonly FoundFile[]
  /** What was left out, for a note. */
  readonly ignored: readonly string[]
  /** True for a name that the folder would leave out if it had it. */
  readonly isIgnored: (name: string) => boolean
}

interface FindOptions {
  /** Relative paths start here. */
  readonly folder: string
  readonly exclude: readonly string[]
}

/**
 * The files that paths on the command line stand for. A folder gives its content, named relative to
 * it; a file is named as it was written, or by its last part where that leads out of the folder we
 * are in.
 *
 * @throws {UsageFailure} a path cannot be read, or a folder holds what cannot be sent
 */
export async function findSources(
  paths: readonly string[],
  { folder, exclude }: FindOptions,
): Promise<Sources> {
  const found = await Promise.all(paths.map((path) => findSource(path, folder, exclude)))
  return {
    files: found.flatMap(({ files }) => files),
    ignored: found.flatMap(({ ignored }) => ignored),
    isIgnored: (name) => found.some(({ isIgnored }) => isIgnored(name)),
  }
}

async function findSource(
  path: string,
  folder: string,
  exclude: readonly string[],
): Promise<Sources> {
  const absolute = resolve(folder, path)
  const stats = await stat(absolute).catch((error: unknown) => cannotRead(path, error))
  if (stats.isDirectory()) return findFolder(absolute, exclude)
  if (!stats.isFile()) throw strange([path])
  const file = { path: absolute, name: nameOf(path), size: stats.size }
  return { files: [file], ignored: [], isIgnored: () => false }
}

async function findFolder(folder: string, exclude: readonly string[]): Promise<Sources> {
  const content = await readFolder(folder, exclude)
  if (content.strange.length > 0) throw strange(content.strange)
  return content
}

function nameOf(path: string): string {
  const relative = join(path).replaceAll('\\', '/')
  const leadsOut = isAbsolute(path) || relative.split('/').includes('..')
  return leadsOut ? basename(path) : relative
}

/**
 * A link is refused rather than skipped: a data set whose files are links would be published
 * without them.
 */
function strange(names: readonly string[]): UsageFailure {
  return new UsageFailure({
    tried: 'upload the files',
    said: `links and special files are not followed: ${names.join(', ')}`,
    next: 'put the files themselves there, or leave them out with --exclude; nothing was sent',
  })
}

function cannotRead(path: string, cause: unknown): never {
  const said = reasonOf(cause)
  throw new UsageFailure(
    { tried: `read ${path}`, said, next: 'check the path; nothing was sent' },
    { cause },
  )
}
