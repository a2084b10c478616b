import { lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isZip } from '../packages/recognise.ts'
import type { Sources } from './find-sources.ts'
import type { Place, PlaceOptions } from './package-place.ts'
import type { FoundFile } from './read-folder.ts'

/**
 * Opens a bag, or an archive of a bag or crate, and verifies it. Undefined for other folders and
 * files.
 *
 * @param dir as the user named it
 * @throws {Failure} it has faults: all of them
 */
export async function openPlace(
  { folder }: { readonly folder: string },
  dir: string,
  options: PlaceOptions = {},
): Promise<Place | undefined> {
  const path = resolve(folder, dir)
  const found = options.asIs ? undefined : await recognise(path)
  if (found === undefined || (found === 'archive' && !options.archives)) return undefined
  const { openRecognised } = await import('./package-place.ts')
  return openRecognised(path, dir, options)
}

/** True for a folder or a file that {@link openPlace} may open. */
export async function isPackage(
  { folder }: { readonly folder: string },
  dir: string,
): Promise<boolean> {
  return (await recognise(resolve(folder, dir))) !== undefined
}

async function recognise(path: string): Promise<'archive' | 'bag' | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isFile()) return (await isZip(path).catch(() => false)) ? 'archive' : undefined
  const found = await lstat(join(path, 'bagit.txt')).catch(() => undefined)
  return found?.isFile() ? 'bag' : undefined
}

/** The files of a bag or an archive, without those that are to be left out. */
export async function takeListed(
  files: readonly FoundFile[],
  exclude: readonly string[],
): Promise<Sources> {
  const { default: ignore } = await import('ignore')
  const patterns = ignore({ ignorecase: false }).add(exclude)
  const isLeft = ({ name }: FoundFile): boolean =>
    ignore.isPathValid(name) && patterns.ignores(name)
  return {
    files: files.filter((file) => !isLeft(file)),
    leftOut: { ignored: [], excluded: files.filter(isLeft).map(({ name }) => name) },
    isIgnored: (name) => ignore.isPathValid(name) && patterns.ignores(name),
  }
}
