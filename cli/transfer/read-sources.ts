import { resolve } from 'node:path'
import type { Advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { findSources, together, type Sources } from './find-sources.ts'
import { openPlace, takeListed } from './open-place.ts'
import type { PlaceOptions, Verified } from './package-place.ts'
import type { FoundFile } from './read-folder.ts'
import { verifyCrate, withoutGenerated } from './verify-crate.ts'

interface ReadOptions extends Omit<PlaceOptions, 'archives' | 'digests'> {
  /** Relative paths start here. */
  readonly folder: string
  /** Name in the deposit, for a single file. */
  readonly name?: string | undefined
  /** Patterns of names to leave out, as in `.gitignore`. */
  readonly exclude?: readonly string[] | undefined
  readonly followLinks?: boolean | undefined
  /** Takes the files of a bag or crate in a ZIP archive, not the archive. */
  readonly unpack?: boolean | undefined
  /** The next steps for options that do not fit. */
  readonly next: {
    /** Of `name`, where there are several files. */
    readonly named: Advice
    /** Of `unpack`, for a path that is no such archive. */
    readonly packed: (path: string) => Advice
  }
}

/** The files of paths, and notes about the bags and crates among them. */
export interface ReadSources {
  readonly sources: Sources
  readonly notes: readonly string[]
}

/**
 * The files for paths that are uploaded to a deposit: of a bag its payload, of other folders their
 * content. Bags and crates are verified.
 *
 * @throws {UsageFailure} a path cannot be read, or a folder holds what cannot be sent
 * @throws {Failure} a bag or a crate has faults: all of them
 */
export async function readSources(
  paths: readonly string[],
  options: ReadOptions,
): Promise<ReadSources> {
  const found: Sources[] = []
  const notes: string[] = []
  for (const path of paths) {
    const { sources, remarks, warnings } = await readOne(path, options)
    found.push(sources)
    notes.push(...remarks, ...warnings.map((said) => `warning: ${said}`))
  }
  const sources = together(found)
  return { sources: { ...sources, files: rename(sources.files, options) }, notes }
}

async function readOne(
  path: string,
  { folder, exclude = [], followLinks, unpack, next, ...verifying }: ReadOptions,
): Promise<Verified & { readonly sources: Sources }> {
  await using place = await openPlace({ folder }, path, { ...verifying, archives: unpack })
  if (unpack && !place?.isArchive) throw noArchive(path, next.packed(path))
  if (place !== undefined) {
    const { remarks, warnings } = place
    return { sources: await takeListed(place.files, exclude), remarks, warnings }
  }
  const sources = await findSources([path], { folder, exclude, followLinks })
  const at = { folder: resolve(folder, path), dir: path }
  const verified = await verifyCrate(sources, at, verifying)
  return { ...verified, sources: withoutGenerated(sources, verified) }
}

function noArchive(path: string, next: Advice): UsageFailure {
  return new UsageFailure({
    tried: `upload the files in ${path}`,
    said: 'it is not a ZIP archive of a bag or a crate',
    next,
  })
}

function rename(
  files: readonly FoundFile[],
  { name, next }: Pick<ReadOptions, 'name' | 'next'>,
): readonly FoundFile[] {
  if (name === undefined) return files
  const [file] = files
  if (file !== undefined && files.length === 1) return [{ ...file, name }]
  throw new UsageFailure({
    tried: `upload as ${name}`,
    said: `a name is for a single file, and there are ${files.length}`,
    next: next.named,
  })
}
