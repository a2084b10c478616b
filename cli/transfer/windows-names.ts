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
 * On Windows, names that it can store, and that differ in more than case. Elsewhere all names are
 * kept.
 */
export function toLocalNames(
  files: readonly FileBody[],
  platform: NodeJS.Platform = process.platform,
): LocalNames {
  if (platform !== 'win32') return { files, notes: [] }
  const kept = new Map(
    files
      .filter(({ filename }) => isFitForWindows(filename))
      .toReversed()
      .map((file) => [fold(file.filename), file]),
  )
  const taken = new Set(kept.keys())
  const named = files.map((file) => {
    if (kept.get(fold(file.filename)) === file) return file
    const filename = free(toWindowsKey(file.filename), taken)
    taken.add(fold(filename))
    return { ...file, filename }
  })
  const notes = files.flatMap(({ filename }, at) => {
    const local = named[at]?.filename ?? filename
    return local === filename ? [] : [`${quoted(filename)} is written as ${quoted(local)}`]
  })
  return { files: named, notes }
}

function free(key: string, taken: ReadonlySet<string>): string {
  const dot = key.lastIndexOf('.')
  const at = dot > key.lastIndexOf('/') + 1 ? dot : key.length
  let found = key
  for (let number = 2; taken.has(fold(found)); number += 1) {
    found = `${key.slice(0, at)}_${number}${key.slice(at)}`
  }
  return found
}

const fold = (key: string): string => key.toLowerCase()
