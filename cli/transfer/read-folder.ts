import { advice } from '../advice.ts'
import { accessSync, constants, lstatSync, type Dirent } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { PackedSource } from '../client/upload-file.ts'
import { UsageFailure } from '../failure.ts'
import { reasonOf } from '../reason.ts'
import { decodeText } from '../text-file.ts'
import { Facts, stateOf, type FolderState } from './folder-state.ts'
import type { FollowLink, OutsideReason } from './follow-links.ts'
import type { RefusedName } from './refused-names.ts'
import { findHidden, hiddenNames } from '../../core/contract/hidden-names.ts'
import { isMissing } from '../../core/base/errno.ts'

/** A file found below a folder. */
export interface FoundFile {
  /** Its local path. */
  readonly path: string
  /** Below the folder, with slashes. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Unknown of the target of a link. */
  readonly inode?: number
  /** Of a link that leads out of the folder. */
  readonly outside?: OutsideReason | undefined
  /** Of a file in an archive; its path only names it. */
  readonly packed?: PackedSource
}

export interface FolderContent {
  /** In path order. */
  readonly files: readonly FoundFile[]
  /** Hidden names, unless {@link ignoreFile} has `!name`, and those that it has; folders with a slash at the end. */
  readonly ignored: readonly string[]
  /** Names that `--exclude` leaves out, folders with a slash at the end. */
  readonly excluded: readonly string[]
  /** Links, sockets and other names that cannot be sent. */
  readonly refused: readonly RefusedName[]
  /** True for a name that would be ignored. */
  readonly isIgnored: (name: string) => boolean
  /** Undefined where a link leads to a file: its target may change unseen. */
  readonly state: () => FolderState | undefined
}

/** File with patterns of ignored names, in the notation of `.gitignore`. */
export const ignoreFile = '.depositignore'

/** The file in which a folder keeps the deposit that was made of it. It is never uploaded. */
export const folderFile = '.deposit.json'

export interface FolderOptions {
  /** Further patterns, as in {@link ignoreFile}. */
  readonly exclude: readonly string[]
  /** A file that is left out as well: its path below the folder, with slashes. */
  readonly apart?: string | undefined
  /** Digest of a state in which every file could be read: in that state none is asked again. */
  readonly readable?: string | undefined
  /** Takes the targets of links as files of the folder. */
  readonly followLinks?: boolean | undefined
}

/** Everything below `folder` that is not ignored. */
export async function readFolder(
  folder: string,
  { exclude, apart, readable, followLinks = false }: FolderOptions,
): Promise<FolderContent> {
  const now = Date.now()
  const own = await readIgnoreFile(folder)
  const rules = await rulesOf(own, exclude, apart)
  const follow = followLinks ? (await import('./follow-links.ts')).followLinksOf(folder) : undefined
  const found: Found = { files: [], facts: new Facts(), ignored: [], excluded: [], refused: [] }
  await walk({ root: folder, rules, follow, found }, '', [await realpath(folder)])
  const patterns = [own, ...exclude, apart ?? '']
  const state = readable === undefined ? undefined : stateOf(found, patterns, now)
  const isKnown = state !== undefined && state.digest === readable
  const { files, refused } = isKnown ? found : withoutUnreadable(found)
  return {
    files: files.toSorted((a, b) => comparePaths(a.name, b.name)),
    ignored: found.ignored,
    excluded: found.excluded,
    refused,
    isIgnored: rules.isIgnored,
    state: () => state ?? stateOf(found, patterns, now),
  }
}

function withoutUnreadable({ files, refused }: Found): Pick<FolderContent, 'files' | 'refused'> {
  const unreadable = new Set(files.filter(({ path }) => !isReadable(path)))
  if (unreadable.size === 0) return { files, refused }
  const named = Array.from(unreadable, ({ name }) => ({ name, reason: 'unreadable' }) as const)
  return {
    files: files.filter((file) => !unreadable.has(file)),
    refused: [...refused, ...named].sort((a, b) => comparePaths(a.name, b.name)),
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** The names of a folder that are left out: paths below it, those of folders with a slash at the end. */
interface Rules {
  readonly isIgnored: (path: string) => boolean
  /** Only by `--exclude`. */
  readonly isExcluded: (path: string) => boolean
}

async function rulesOf(
  own: string,
  exclude: readonly string[],
  apart: string | undefined,
): Promise<Rules> {
  const isApart = (path: string): boolean => path === apart
  // The names that every folder hides need no patterns: most folders have no others.
  if (own.trim() === '' && exclude.length === 0)
    return {
      isIgnored: (path) => isApart(path) || findHidden(path) !== undefined,
      isExcluded: isApart,
    }
  const { default: ignore } = await import('ignore')
  const patterns = ignore({ ignorecase: false }).add([...hiddenNames])
  patterns.add(own).add(exclude).add(folderFile)
  const asked = ignore({ ignorecase: false }).add(exclude)
  return {
    isIgnored: (path) => isApart(path) || patterns.ignores(path),
    isExcluded: (path) => isApart(path) || asked.ignores(path),
  }
}

/** Path order: by code unit, the same on every machine. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

interface Found {
  readonly files: FoundFile[]
  /** Of each file in turn; of the target of a link none. */
  readonly facts: Facts
  readonly ignored: string[]
  readonly excluded: string[]
  readonly refused: RefusedName[]
}

interface Walk {
  readonly root: string
  readonly rules: Rules
  /** Absent: links are refused. */
  readonly follow: FollowLink | undefined
  readonly found: Found
}

/** @param trail the real paths of this folder and of those around it */
async function walk(task: Walk, folder: string, trail: readonly string[]): Promise<void> {
  const { root, rules, found } = task
  const at = join(root, folder)
  const entries = await readdir(at, { withFileTypes: true }).catch((error: unknown) =>
    cannotRead(at, error),
  )
  const misnamed = await findMisnamed(at, entries)
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    const path = entry.isDirectory() ? `${name}/` : name
    const bytes = misnamed.get(entry.name)
    if (rules.isIgnored(path)) leaveOut(task, path)
    else if (bytes !== undefined)
      found.refused.push({ name: `${folder}/${bytes}`.replace(/^\//, ''), reason: 'misnamed' })
    else if (entry.isDirectory())
      await walk(task, name, [...trail, join(trail.at(-1) ?? '', entry.name)])
    else if (entry.isSymbolicLink()) await takeLink(task, name, trail)
    else take(task, name, `${at}${sep}${entry.name}`, entry)
  }
}

function leaveOut({ rules, found }: Walk, path: string): void {
  if (path === folderFile || path.endsWith(`/${folderFile}`)) return
  const list = rules.isExcluded(path) ? found.excluded : found.ignored
  list.push(path)
}

function take({ found }: Walk, name: string, path: string, entry: Dirent): void {
  if (!entry.isFile()) {
    found.refused.push({ name, reason: 'special' })
    return
  }
  // Synchronous: for ten thousand files that is faster than asking another thread.
  const stats = lstatSync(path)
  found.files.push({ path, name, size: stats.size, inode: stats.ino })
  found.facts.add(stats)
}

async function takeLink(task: Walk, name: string, trail: readonly string[]): Promise<void> {
  const { root, rules, follow, found } = task
  const target = follow?.(join(root, name), trail)
  if (target?.kind === 'file') {
    const { path, size, outside } = target
    found.files.push({ path, name, size, outside })
  } else if (target?.kind !== 'folder')
    found.refused.push({ name, reason: target?.reason ?? 'link' })
  else if (rules.isIgnored(`${name}/`)) leaveOut(task, `${name}/`)
  else await walk(task, name, [...trail, target.path])
}

/**
 * Names that are not UTF-8, which Linux allows, by their decoded text, with the invalid bytes
 * escaped.
 */
async function findMisnamed(
  folder: string,
  entries: readonly Dirent[],
): Promise<ReadonlyMap<string, string>> {
  if (!entries.some(({ name }) => name.includes('\uFFFD'))) return new Map()
  const names = await readdir(folder, { encoding: 'buffer' })
  return new Map(
    names.flatMap((bytes): readonly [string, string][] => {
      const text = bytes.toString()
      return Buffer.from(text).equals(bytes) ? [] : [[text, escape(bytes)]]
    }),
  )
}

function escape(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('')
}

async function readIgnoreFile(folder: string): Promise<string> {
  const path = join(folder, ignoreFile)
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return Buffer.of()
    return cannotRead(path, error)
  })
  return decodeText(bytes, path)
}

function cannotRead(path: string, cause: unknown): never {
  throw new UsageFailure(
    {
      tried: `read ${path}`,
      said: reasonOf(cause),
      next: advice.checkPath(),
    },
    { cause },
  )
}
