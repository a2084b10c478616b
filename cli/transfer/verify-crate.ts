import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { crateFiles, datapackageFile } from '../packages/recognise.ts'
import type { Sources } from './find-sources.ts'
import type { PlaceOptions, Verified } from './package-place.ts'

/**
 * Compares the files of a folder with what a crate or a Data Package among them says of them. A file that is described
 * and left out, as --exclude says or because it is hidden, is a warning.
 *
 * @param folder absolute
 * @param dir as the user named it
 * @throws {Failure} with every fault
 */
export async function verifyCrate(
  { files }: Sources,
  { folder, dir }: { readonly folder: string; readonly dir: string },
  options: PlaceOptions,
): Promise<Verified> {
  if (options.asIs) return nothing
  const names = [...crateFiles, datapackageFile]
  const name = names.find((each) => files.some((file) => file.name === each))
  if (name === undefined || !(await isThere(join(folder, name)))) return nothing
  const { verifyDescribed } = await import('./verify-described.ts')
  return verifyDescribed(files, { folder, dir, name }, options)
}

/** Without the files that were written for a package: the service writes them anew. */
export function withoutGenerated(sources: Sources, { generated }: Verified): Sources {
  if (!generated?.size) return sources
  return {
    ...sources,
    files: sources.files.filter(({ name }) => !generated.has(name)),
    isIgnored: (name) => generated.has(name) || sources.isIgnored(name),
  }
}

const nothing: Verified = { remarks: [], warnings: [] }

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
