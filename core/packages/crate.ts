import type { DescribedFile } from '../describe/description.ts'
import type { PackageTexts } from '../exports/package-texts.ts'
import { toPreviewRow } from '../exports/ro-crate-preview.ts'
import { toCrateFile, toCratePart } from '../exports/ro-crate.ts'
import { writeFile, type WrittenFile } from './written-file.ts'

/** A file that is written for a package. */
export interface NamedFile {
  /** With slashes, below the folder of the package. */
  readonly path: string
  readonly written: WrittenFile
}

const metadataName = 'ro-crate-metadata.json'
const previewName = 'ro-crate-preview.html'

/** True where the files of a user are a crate of their own: it is kept as it is. */
export function isOwnCrate(keys: readonly string[]): boolean {
  return isTaken(keys, metadataName)
}

/**
 * The metadata of a crate and its page, beside the files of a user. No name of theirs is used: the
 * page is left out where they have one, and both where they have metadata.
 *
 * @param describe the file of a key, in the order of `keys`
 * @see RO-Crate 1.2, "Attached RO-Crate Package"
 */
export async function writeCrate(
  { crate, preview }: PackageTexts,
  keys: readonly string[],
  describe: (index: number) => DescribedFile,
): Promise<readonly NamedFile[]> {
  if (isOwnCrate(keys)) return []
  const metadata = await writeFile(function* () {
    yield crate.before
    for (const [index, key] of keys.entries()) yield toCratePart(key, index === 0)
    yield crate.between
    for (const index of keys.keys()) yield toCrateFile(describe(index))
    yield crate.after
  })
  if (isTaken(keys, previewName)) return [{ path: metadataName, written: metadata }]
  const page = await writeFile(function* () {
    yield preview.before
    for (const index of keys.keys()) yield toPreviewRow(describe(index))
    yield preview.after
  })
  return [
    { path: metadataName, written: metadata },
    { path: previewName, written: page },
  ]
}

/** True where a file or a folder has the name. */
export function isTaken(keys: readonly string[], name: string): boolean {
  return keys.some((key) => key === name || key.startsWith(`${name}/`))
}
