import { advice } from '../advice.ts'
import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders } from '../../core/base/durable-files.ts'
import { safeKey } from '../../core/contract/file-key.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { quoted } from '../plain.ts'
import { codeOf } from '../../core/base/errno.ts'

/**
 * Refuses a whole list of files if one of its names leads out of the folder. This does not rely on
 * the names of a server being safe.
 *
 * @throws {Failure} naming each
 */
export function requireSafeNames(
  files: readonly Pick<FileBody, 'filename'>[],
  tried: string,
): void {
  const unsafe = files.map(({ filename }) => filename).filter((name) => !isSafe(name))
  if (unsafe.length === 0) return
  throw new Failure({
    tried,
    said: `the server gave names that are not safe: ${unsafe.map(quoted).join(', ')}`,
    next: advice.distrustServer(),
  })
}

/**
 * Refuses a list in which the name of a file is also that of the folder of another one: no disk can
 * have both.
 *
 * @throws {Failure} naming the first two
 */
export function requireNoFileAsFolder(files: readonly FileBody[]): void {
  const names = new Set(files.map(({ filename }) => filename))
  for (const name of names) {
    const folder = foldersOf('', name).find((outer) => names.has(outer))
    if (folder === undefined) continue
    throw new Failure(
      {
        tried: 'download the files',
        said: `the server gave names that exclude each other: ${quoted(folder)} would be a file, and a folder for ${quoted(name)}`,
        next: advice.catFile(),
      },
      { exitCode: exitCodes.refused },
    )
  }
}

function isSafe(name: string): boolean {
  const safe = safeKey(name)
  return 'key' in safe && safe.key === name
}

/**
 * Makes the parent folders of `key` below `root` and returns the path of the file. Synchronous,
 * because for ten thousand files that is faster.
 *
 * @throws {Failure} something on the way is a link or a file
 */
export function makeParents(root: string, key: string): string {
  makeFolders(root)
  for (const path of foldersOf(root, key)) {
    makeFolder(path)
    if (!lstatSync(path).isDirectory()) throw inTheWay(path, 'folder')
  }
  return join(root, key)
}

/** The path of the file; makes no folder. */
export function findParents(root: string, key: string): string {
  for (const path of foldersOf(root, key)) {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) break
    if (!found.isDirectory()) throw inTheWay(path, 'folder')
  }
  return join(root, key)
}

/** Outer ones first. */
function foldersOf(root: string, key: string): readonly string[] {
  const names = key.split('/').slice(0, -1)
  return names.map((_, at) => join(root, ...names.slice(0, at + 1)))
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Refuses a file, folder or link in the place of a download. */
export function inTheWay(path: string, needed: 'file' | 'folder'): Failure {
  const found = needed === 'folder' ? 'a file (or link)' : 'a folder (or link)'
  return new Failure(
    {
      tried: `write below ${dirname(path)}`,
      said: `${path} is ${found} where a ${needed} is needed`,
      next: advice.moveAway(),
    },
    { exitCode: exitCodes.refused },
  )
}
