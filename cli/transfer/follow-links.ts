import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { RefusedName } from './refused-names.ts'

/** Where a link leads. */
type Target =
  | { readonly kind: 'file'; readonly path: string; readonly size: number }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'refused'; readonly reason: RefusedName['reason'] }

/** @param trail the real paths of the folders around the link */
export type FollowLink = (link: string, trail: readonly string[]) => Target

/**
 * Follows links as far as the folder reaches, or the repository of git or DVC that it is in, where
 * the files of a data set are kept. A data set that came from elsewhere may have links to our
 * secrets: those are refused, and so is what is hidden.
 *
 * @see https://git-annex.branchable.com/internals/
 */
export function followLinksOf(folder: string): FollowLink {
  const bounds = repositoryOf(realpathSync(folder))
  return (link, trail) => {
    const path = tryResolve(link)
    if (path === undefined) return { kind: 'refused', reason: 'dangling' }
    const name = relative(bounds, path).split(sep).join('/')
    if (name.startsWith('..') || isHidden(name)) return { kind: 'refused', reason: 'outside' }
    const stats = statSync(path)
    if (stats.isFile()) return { kind: 'file', path, size: stats.size }
    if (!stats.isDirectory()) return { kind: 'refused', reason: 'special' }
    const isAround = trail.some((around) => `${around}${sep}`.startsWith(`${path}${sep}`))
    return isAround ? { kind: 'refused', reason: 'circle' } : { kind: 'folder', path }
  }
}

/** The folder with `.git` or `.dvc` in it that is nearest above, or the folder itself. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (['.git', '.dvc'].some((name) => existsSync(join(at, name)))) return at
    if (dirname(at) === at) return folder
  }
}

/** Hidden files are no part of a data set, but for what git-annex and DVC keep of it. */
function isHidden(name: string): boolean {
  const stores = /(?:^|\/)(?:\.git\/(?:modules\/.+\/)?annex\/objects|\.dvc\/cache)\//
  return /(?:^|\/)\./.test(name) && !stores.test(name)
}

function tryResolve(link: string): string | undefined {
  try {
    return realpathSync(link)
  } catch {
    // It leads nowhere, or in a circle.
    return undefined
  }
}
