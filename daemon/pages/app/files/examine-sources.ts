import { isFitForWindows, safeKey } from '../../../../core/contract/file-key.ts'
import { findHidden } from '../../../../core/contract/hidden-names.ts'
import { addedNotes } from '../../text/added-notes.ts'
import { addTexts, text } from '../../text/text.ts'
import type { Source } from './drop-zone.tsx'

addTexts(addedNotes)

/** Files that were chosen or dropped, as the command line would take them. */
export interface Examined {
  readonly taken: readonly Source[]
  /** Hidden and temporary files. */
  readonly leftOut: readonly Source[]
  /** Their names, and those of the folders that they are in. */
  readonly hidden: readonly string[]
}

/**
 * Places files in the folder that is open. A folder of the same name is that folder, chosen anew.
 *
 * @param folder with a slash at its end; empty for the top
 */
export function placedIn(folder: string, sources: readonly Source[]): readonly Source[] {
  if (folder === '') return sources
  const above = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  const own = folder.slice(above.length)
  return sources.map(({ path, file }) => ({
    path: (path.startsWith(own) ? above : folder) + path,
    file,
  }))
}

/**
 * Leaves out what is hidden, in the folder that was chosen or by itself.
 *
 * @param isAsked false where it was asked for all the same
 */
export function examineSources(sources: readonly Source[], isAsked: boolean): Examined {
  if (!isAsked) return { taken: sources, leftOut: [], hidden: [] }
  const [taken, leftOut]: [Source[], Source[]] = [[], []]
  const hidden = new Set<string>()
  for (const source of sources) {
    // The folder itself was chosen by its name.
    const top = source.path.indexOf('/') + 1
    const found = findHidden(source.path.slice(top))
    if (found === undefined) taken.push(source)
    else {
      leftOut.push(source)
      hidden.add(source.path.slice(0, top) + found)
    }
  }
  return { taken, leftOut, hidden: [...hidden] }
}

/**
 * What somebody who downloads the files may meet: names that differ in case alone, and names that
 * Windows cannot have.
 *
 * @param present names of the files that are there
 */
export function warnOfNames(
  sources: readonly Source[],
  present: readonly string[],
): readonly string[] {
  const added = sources.flatMap(({ path }) => {
    const safe = safeKey(path)
    return 'key' in safe ? [safe.key] : []
  })
  const groups = new Map<string, Set<string>>()
  for (const key of [...present, ...added]) {
    const folded = key.toLowerCase()
    groups.set(folded, (groups.get(folded) ?? new Set()).add(key))
  }
  const touched = new Set(added.map((key) => key.toLowerCase()))
  const twins = [...groups].filter(([folded, keys]) => keys.size > 1 && touched.has(folded))
  return [
    ...twins.map(([, keys]) => text('files.twins', { names: [...keys].join(', ') })),
    ...added
      .filter((key) => !isFitForWindows(key))
      .map((name) => text('files.notForWindows', { name })),
  ]
}
