import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { platformFolders } from '../platform-folders.ts'
import { readVersion } from '../version.ts'

/**
 * Lets Node.js keep what it compiles of the program, and use it for the next command: compiling takes
 * a tenth of the time of most. Nothing is kept where others could put another program there.
 */
export function keepCompiled(): void {
  // The user has chosen a folder for all programs, by NODE_COMPILE_CACHE, or none.
  if (getCompileCacheDir() !== undefined || process.env['NODE_DISABLE_COMPILE_CACHE']) return
  try {
    const folder = join(platformFolders().cache, 'compiled', readVersion())
    makeFolder(folder)
    if ([folder, dirname(folder)].every(isOwn)) enableCompileCache(folder)
  } catch {
    // Without a folder each command compiles anew.
  }
}

/** Removes what was kept of another version. */
function makeFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made !== folder) return
  const all = dirname(folder)
  for (const name of readdirSync(all))
    if (join(all, name) !== folder) rmSync(join(all, name), { recursive: true, force: true })
}

/** Whether nobody but this user writes there. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  const isForeign = process.getuid !== undefined && found.uid !== process.getuid()
  const isOpen = process.platform !== 'win32' && (found.mode & 0o022) !== 0
  return found.isDirectory() && !isForeign && !isOpen
}
