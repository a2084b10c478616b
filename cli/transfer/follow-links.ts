import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { RefusedName } from './refused-names.ts'

/** Why a file outside the folder is taken: git-annex or DVC keeps it, or git tracks it. */
export type OutsideReason = 'kept' | 'tracked'

/** The target of a link. */
type Target =
  | {
      readonly kind: 'file'
      readonly path: string
      readonly size: number
      readonly outside: OutsideReason | undefined
    }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'refused'; readonly reason: RefusedName['reason'] }

/** @param trail the real paths of the folders around the link */
export type FollowLink = (link: string, trail: readonly string[]) => Target

/**
 * Follows links within the folder, and out of it only to files of its repository: in the stores of
 * git-annex and DVC, or tracked by git. All other targets, and hidden files, are refused: a folder
 * from elsewhere may link to our secrets.
 *
 * @see https://git-annex.branchable.com/internals/
 */
export function followLinksOf(folder: string): FollowLink {
  const root = realpathSync(folder)
  const bounds = repositoryOf(root)
  let tracked: ReadonlySet<string> | undefined
  const outsideAs = (path: string): OutsideReason | undefined => {
    const name = nameIn(bounds, path)
    if (name === undefined) return undefined
    if (stores.test(name)) return 'kept'
    return !isHidden(name) && (tracked ??= trackedIn(bounds)).has(name) ? 'tracked' : undefined
  }
  return (link, trail) => {
    const path = tryResolve(link)
    if (path === undefined) return { kind: 'refused', reason: 'dangling' }
    const name = nameIn(root, path)
    const outside = name === undefined ? outsideAs(path) : undefined
    const isRefused = name === undefined ? outside === undefined : isHidden(name)
    if (isRefused) return { kind: 'refused', reason: 'outside' }
    const stats = statSync(path)
    if (stats.isFile()) return { kind: 'file', path, size: stats.size, outside }
    if (!stats.isDirectory()) return { kind: 'refused', reason: 'special' }
    if (isAround(path, trail)) return { kind: 'refused', reason: 'circle' }
    // Outside, only files that the repository tracks belong to the data set.
    return name === undefined ? { kind: 'refused', reason: 'outside' } : { kind: 'folder', path }
  }
}

function isAround(path: string, trail: readonly string[]): boolean {
  return trail.some((around) => nameIn(path, around) !== undefined)
}

/**
 * The nearest parent with `.git` or `.dvc`, or the folder itself. A repository of the whole home
 * folder does not count.
 */
function repositoryOf(folder: string): string {
  const home = tryResolve(homedir()) ?? homedir()
  for (let at = folder; nameIn(at, home) === undefined; at = dirname(at)) {
    if (['.git', '.dvc'].some((name) => existsSync(join(at, name)))) return at
  }
  return folder
}

/** The files that git tracks; none without git, or if git does not trust the repository. */
function trackedIn(bounds: string): ReadonlySet<string> {
  const git = findGit()
  if (git === undefined || !existsSync(join(bounds, '.git'))) return new Set()
  // The settings of a foreign repository may name a program for git to run.
  const args = ['-C', bounds, '-c', 'core.fsmonitor=false', 'ls-files', '-z']
  try {
    const said = execFileSync(git, args, {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return new Set(said.split('\0'))
  } catch {
    return new Set()
  }
}

/**
 * Finds git on the PATH alone: Windows would look in the current folder first, which may have a
 * `git.exe` from elsewhere.
 */
function findGit(): string | undefined {
  if (process.platform !== 'win32') return 'git'
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((path) => isAbsolute(path))
  return folders.map((path) => join(path, 'git.exe')).find((path) => existsSync(path))
}

/** With slashes; undefined for a path that is not in the folder. */
function nameIn(folder: string, path: string): string | undefined {
  const name = relative(folder, path)
  const leadsOut = isAbsolute(name) || name === '..' || name.startsWith(`..${sep}`)
  return leadsOut ? undefined : name.split(sep).join('/')
}

const stores = /(?:^|\/)(?:\.git\/(?:modules\/.+\/)?annex\/objects|\.dvc\/cache)\//

/** True for hidden files, except in the stores of git-annex and DVC. */
function isHidden(name: string): boolean {
  return /(?:^|\/)\./.test(name) && !stores.test(name)
}

function tryResolve(link: string): string | undefined {
  try {
    return realpathSync(link)
  } catch {
    // The target is missing, or links lead in a circle.
    return undefined
  }
}
