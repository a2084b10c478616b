import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { mkdirSync, statSync } from 'node:fs'
import { codeOf, isMissing } from './errno.ts'

/** Makes the bytes of a file, or the names in a directory, outlive a power cut. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

/**
 * Puts `text` in a file at once and durably: a reader finds all of it, or what was there before.
 * The file is for its owner alone.
 */
export async function writeTextDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`
  try {
    // Never one that is there already: it could be a link, or be open elsewhere.
    await using file = await open(draft, 'wx', 0o600)
    await file.writeFile(text)
    await file.sync()
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  // Windows has no call that syncs a folder.
  if (process.platform !== 'win32') await syncPath(dirname(path))
}

/**
 * Makes a folder where it is missing, and those that it lies in. Node's own `recursive` asks for ever
 * where a file system takes no folder and says ENOENT, as /proc does.
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
