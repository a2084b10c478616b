import type { FileBody } from '../../core/contract/schemas.ts'
import { isFitForWindows, toWindowsKey } from '../../core/contract/file-key.ts'
import { quoted } from '../plain.ts'

/** Files with their local names. */
interface LocalNames {
  readonly files: readonly FileBody[]
  /** Notes about changed names. */
  readonly notes: readonly string[]
}

/**
 * Names that no program of this machine acts on: git and Mercurial run commands that their folders
 * name, and `.deposit.json` says which deposit a folder is. On Windows, also names that it can store,
 * and that differ in more than case. All others are kept.
 */
export function toLocalNames(
  files: readonly FileBody[],
  platform: NodeJS.Platform = process.platform,
): LocalNames {
  const isWindows = platform === 'win32'
  const toFit = (key: string): string =>
    isWindows ? toWindowsKey(toHarmless(key)) : toHarmless(key)
  const isFit = (key: string): boolean =>
    toHarmless(key) === key && (!isWindows || isFitForWindows(key))
  const fold = (key: string): string => (isWindows ? key.toLowerCase() : key)
  const kept = new Map(
    files
      .filter(({ filename }) => isFit(filename))
      .toReversed()
      .map((file) => [fold(file.filename), file]),
  )
  const taken = new Set(kept.keys())
  const named = files.map((file) => {
    if (kept.get(fold(file.filename)) === file) return file
    const filename = free(toFit(file.filename), (key) => taken.has(fold(key)))
    taken.add(fold(filename))
    return { ...file, filename }
  })
  const notes = files.flatMap(({ filename }, at) => {
    const local = named[at]?.filename ?? filename
    return local === filename ? [] : [`${quoted(filename)} is written as ${quoted(local)}`]
  })
  return { files: named, notes }
}

function toHarmless(key: string): string {
  return key.replaceAll(harmful, '_')
}

/** The place before a name, as a whole part of the key. `git~1` is the short form of `.git` on Windows. */
const harmful = /(?<=^|\/)(?=(?:\.git|\.hg|git~\d|\.deposit\.json)(?:\/|$))/gi

function free(key: string, isTaken: (key: string) => boolean): string {
  const dot = key.lastIndexOf('.')
  const at = dot > key.lastIndexOf('/') + 1 ? dot : key.length
  let found = key
  for (let number = 2; isTaken(found); number += 1) {
    found = `${key.slice(0, at)}_${number}${key.slice(at)}`
  }
  return found
}
