import { randomUUID } from 'node:crypto'
import { access, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { constants, mkdirSync, statSync } from 'node:fs'
import { codeOf, isMissing } from './errno.ts'

/** A folder that some file systems make at their root. */
export const lostAndFound = 'lost+found'

/** Syncs a file or directory, so that it survives a power cut. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

/**
 * Demands that a folder can be read and written. Nothing is changed. After an error of a disk Linux may let
 * nothing be written there without access(2) knowing it: a sync tells.
 */
export async function requireWritable(folder: string): Promise<void> {
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  await syncFolder(folder)
}

/** Replaces a file atomically and durably. Only its owner can read it, unless `mode` says more. */
export async function writeTextDurably(path: string, text: string, mode = 0o600): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`
  try {
    // Never an existing file: it could be a link, or be open elsewhere.
    await using file = await open(draft, 'wx', mode)
    await file.writeFile(text)
    await file.sync()
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Writes a new file, whole and durably.
 *
 * @returns false if there is one: it is not changed
 */
export async function createTextDurably(
  path: string,
  text: string,
  mode = 0o600,
): Promise<boolean> {
  const draft = `${path}.${randomUUID()}.new`
  try {
    await writeTextDurably(draft, text, mode)
    await link(draft, path).catch(async (error: unknown) => {
      if (codeOf(error) === 'EEXIST') throw error
      // A file system without links: for a moment the file is there without its text.
      await using file = await open(path, 'wx', mode)
      await file.writeFile(text)
      await file.sync()
    })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
  await syncFolder(dirname(path))
  return true
}

/** Makes the names in a folder durable. Windows has no call for that. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform !== 'win32') await syncPath(path)
}

/**
 * Makes a folder and its parents, if missing. Unlike Node's `recursive`, it ends on a file system
 * that answers every mkdir with ENOENT, as /proc does.
 *
 * @param mode of each folder that is made
 */
export function makeFolders(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(path).isDirectory()) return
    if (!isMissing(error) || exists(dirname(path))) throw error
    makeFolders(dirname(path), mode)
    makeFolders(path, mode)
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
