import type { DepositFile } from '../api/files.ts'

/** A folder, as the keys of files make it. */
export interface Folder {
  readonly name: string
  /** With a slash at its end. */
  readonly path: string
  readonly files: readonly DepositFile[]
}

/** A folder's content: the folders in it by name, and its own files in their order. */
export interface Level {
  readonly folders: readonly Folder[]
  readonly files: readonly DepositFile[]
}

/** @param path of the folder, with a slash at its end; empty for the top */
export function levelAt(files: readonly DepositFile[], path: string): Level {
  const folders = new Map<string, DepositFile[]>()
  const own: DepositFile[] = []
  for (const file of files) {
    if (!file.filename.startsWith(path)) continue
    const slash = file.filename.indexOf('/', path.length)
    if (slash < 0) {
      own.push(file)
      continue
    }
    const name = file.filename.slice(path.length, slash)
    const inside = folders.get(name)
    if (inside) inside.push(file)
    else folders.set(name, [file])
  }
  const found = [...folders].map(([name, inside]) => ({
    name,
    path: `${path}${name}/`,
    files: inside,
  }))
  return { folders: found.toSorted((a, b) => (a.name < b.name ? -1 : 1)), files: own }
}

/** Every folder that a file is in, with a slash at its end. */
export function foldersOf(files: readonly DepositFile[]): readonly string[] {
  const paths = new Set<string>()
  for (const { filename } of files) {
    for (let at = filename.lastIndexOf('/'); at > 0; at = filename.lastIndexOf('/', at - 1)) {
      const path = filename.slice(0, at + 1)
      if (paths.has(path)) break
      paths.add(path)
    }
  }
  return [...paths].toSorted()
}

/** Files whose name has all words of the filter in it. */
export function filtered(files: readonly DepositFile[], filter: string): readonly DepositFile[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return files
  return files.filter(({ filename }) => {
    const name = filename.toLowerCase()
    return words.every((word) => name.includes(word))
  })
}

/** All files, of which those in `part` have its order: they share the places they had. */
export function reordered(
  files: readonly DepositFile[],
  part: readonly DepositFile[],
): readonly DepositFile[] {
  const moved = new Set(part.map(({ id }) => id))
  let next = 0
  return files.map((file) => (moved.has(file.id) ? (part[next++] ?? file) : file))
}

/**
 * The name of a file that is moved to a folder, with the folders that were moved with it.
 *
 * @param path of the folder, with a slash at its end; empty for the top
 * @param base the folder that was open when the file, or a folder that it is in, was selected
 */
export function movedName(filename: string, path: string, base: string): string {
  const selected = filename.slice(0, filename.indexOf('/', base.length) + 1)
  // A folder is not moved into itself.
  if (selected.length > base.length && path.startsWith(selected)) return filename
  return path + filename.slice(base.length)
}

/** The folder that a file is in, with a slash at its end; empty at the top. */
export function folderOf(filename: string): string {
  return filename.slice(0, filename.lastIndexOf('/') + 1)
}

export function byName(files: readonly DepositFile[]): readonly DepositFile[] {
  return files.toSorted(({ filename: a }, { filename: b }) => (a < b ? -1 : 1))
}

/** The files that are selected, and what is told of a click. */
export interface Selection {
  /** The folder that was open when each file was selected, by the ids of the files. */
  readonly selected: ReadonlyMap<string, string>
  readonly onToggle: (files: readonly DepositFile[], isOn: boolean) => void
}
