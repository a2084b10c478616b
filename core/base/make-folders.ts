import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

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
    if (codeOf(error) !== 'ENOENT' || exists(dirname(path))) throw error
    makeFolders(dirname(path), mode)
    makeFolders(path, mode)
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
