import { lstatSync, type Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ignore } from 'ignore'
import { UsageFailure } from '../failure.ts'
import { reasonOf } from '../reason.ts'
import { decodeText } from '../text-file.ts'

/** A file found below a folder. */
export interface FoundFile {
  /** Where it is on this machine. */
  readonly path: string
  /** Below the folder, with slashes. */
  readonly name: string
  /** Bytes. */
  readonly size: number
}

export interface FolderContent {
  /** In path order. */
  readonly files: readonly FoundFile[]
  /** What was left out, a folder with a slash behind it. */
  readonly ignored: readonly string[]
  /** Links, sockets and the like: what is no file that could be sent. */
  readonly strange: readonly string[]
  /** True for a name that would be left out if it were there. */
  readonly isIgnored: (name: string) => boolean
}

/** Lists what is left out of every folder, in the notation of `.gitignore`. */
export const ignoreFile = '.depositignore'

/** Hidden files, and what Windows and Office leave behind; `!name` in {@link ignoreFile} adds one. */
const ignoredByDefault = ['.*', 'Thumbs.db', 'desktop.ini', '~$*']

/**
 * Everything below `folder` that is not ignored. Links are not followed: they are `strange`.
 *
 * @param exclude further patterns, as in {@link ignoreFile}
 */
export async function readFolder(
  folder: string,
  exclude: readonly string[],
): Promise<FolderContent> {
  const { default: ignore } = await import('ignore')
  const patterns = ignore({ ignorecase: false }).add(ignoredByDefault)
  patterns.add(await readIgnoreFile(folder)).add(exclude)
  const found: Found = { files: [], ignored: [], strange: [] }
  await walk(folder, '', patterns, found)
  found.files.sort((a, b) => comparePaths(a.name, b.name))
  return { ...found, isIgnored: (name) => patterns.ignores(name) }
}

/** Path order: by code unit, the same on every machine. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

interface Found {
  readonly files: FoundFile[]
  readonly ignored: string[]
  readonly strange: string[]
}

async function walk(root: string, folder: string, patterns: Ignore, found: Found): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(
    (error: unknown) => cannotRead(join(root, folder), error),
  )
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    const path = entry.isDirectory() ? `${name}/` : name
    if (patterns.ignores(path)) found.ignored.push(path)
    else if (entry.isDirectory()) await walk(root, name, patterns, found)
    else take(root, name, entry, found)
  }
}

function take(root: string, name: string, entry: Dirent, found: Found): void {
  if (!entry.isFile()) {
    found.strange.push(name)
    return
  }
  const path = join(root, name)
  // Of ten thousand files, one after another: another thread would take longer to hear of it.
  const { size } = lstatSync(path)
  found.files.push({ path, name, size })
}

async function readIgnoreFile(folder: string): Promise<string> {
  const path = join(folder, ignoreFile)
  const bytes = await readFile(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.of()
    return cannotRead(path, error)
  })
  return decodeText(bytes, path)
}

function cannotRead(path: string, cause: unknown): never {
  throw new UsageFailure(
    {
      tried: `read ${path}`,
      said: reasonOf(cause),
      next: 'check the path and its permissions',
    },
    { cause },
  )
}
