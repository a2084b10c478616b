import type { Stats } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

const writableByOthers = 0o022

/**
 * Demands that everything which lies in a home is its owner's alone, as ssh does of its keys: a
 * folder that was open for a moment may hold configuration, keys or rows that others put there.
 *
 * @throws {StartFailure} saying how to mend it
 */
export async function requireOwnHome(root: string): Promise<void> {
  const names = await readdir(root)
  const { uid, mode } = await stat(root)
  if (isForeign(uid)) {
    const said = `${root} belongs to another user, with the id ${uid}.`
    throw new StartFailure('no_permission', said, { next: advice.runAsOwner() })
  }
  if (names.length > 0 && isOpen(mode)) {
    throw new StartFailure('no_permission', `Others can write to ${root}.`, {
      next: advice.closeHome(root),
    })
  }
  for (const name of names) {
    const found = await lstat(join(root, name)).catch(() => undefined)
    if (found !== undefined) requireOwn(join(root, name), found)
  }
}

/**
 * Demands that a file which is run or believed can be written by its user and by root alone; root may
 * own it, as it owns what an orchestrator mounts.
 *
 * @throws {StartFailure} saying how to mend it
 */
export async function requireOwnFile(path: string): Promise<void> {
  const [found, target, folder] = await Promise.all([lstat(path), stat(path), stat(dirname(path))])
  requireOwn(path, found)
  requireOwn(path, target)
  const isSticky = (folder.mode & 0o1000) !== 0
  if (process.getuid && (folder.mode & 0o002) !== 0 && !isSticky) {
    const said = `Others can replace ${path}: its folder is open to all.`
    throw new StartFailure('no_permission', said, { next: advice.closeFolder(dirname(path)) })
  }
}

function requireOwn(path: string, found: Stats): void {
  if (process.getuid && found.uid !== 0 && isForeign(found.uid)) {
    throw new StartFailure('no_permission', `${path} belongs to the user ${found.uid}.`, {
      next: advice.takeOver(path, process.getuid()),
    })
  }
  if (found.isSymbolicLink() || !isOpen(found.mode)) return
  throw new StartFailure('no_permission', `Others can write to ${path}.`, {
    next: advice.closeFile(path),
  })
}

function isForeign(uid: number): boolean {
  return process.getuid !== undefined && uid !== process.getuid()
}

function isOpen(mode: number): boolean {
  return process.getuid !== undefined && (mode & writableByOthers) !== 0
}
