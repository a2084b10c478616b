import { advice } from '../advice.ts'
import { isFitForWindows, safeKey } from '../../core/contract/file-key.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { UsageFailure } from '../failure.ts'
import { quoted } from '../plain.ts'
import { count, firstOf } from '../output/units.ts'
import type { LeftOut } from './find-sources.ts'
import type { FoundFile } from './read-folder.ts'

export interface UploadPlan {
  readonly files: readonly LocalFile[]
  /** Warnings about names. */
  readonly warnings: readonly string[]
}

/**
 * Gives each file its key, before anything is sent.
 *
 * @throws {UsageFailure} names that cannot be kept, or that would be the same key: all of them
 */
export function planUpload(found: readonly FoundFile[]): UploadPlan {
  const files: LocalFile[] = []
  const unsafe: string[] = []
  const renamed: string[] = []
  for (const { path, inode, name, size, packed } of found) {
    const safe = safeKey(name)
    if ('reason' in safe) unsafe.push(`${quoted(name)}: ${safe.reason}`)
    else {
      const { key } = safe
      files.push({ path, inode, key, size, packed })
      // Names that change by more than their Unicode form.
      if (key !== name && key !== name.normalize('NFC'))
        renamed.push(`${quoted(name)} is stored as ${quoted(key)}`)
    }
  }
  const faults = [...unsafe, ...collisions(files)]
  if (faults.length > 0) throw refuse(faults)
  return {
    files,
    warnings: [...fromOutside(found), ...renamed, ...caseTwins(files), ...unfitForWindows(files)],
  }
}

function refuse(faults: readonly string[]): UsageFailure {
  return new UsageFailure({
    tried: 'upload the files',
    said: firstOf(faults, 20).join('; '),
    next: advice.renameOrExclude(),
  })
}

/** Notes links that lead out of the folder; files in stores are not listed, they may be many. */
function fromOutside(found: readonly FoundFile[]): readonly string[] {
  const kept = found.filter(({ outside }) => outside === 'kept').map(({ name }) => quoted(name))
  const more = kept.length > 5 ? ', …' : ''
  const many = `${count(kept.length, 'file')} taken from git-annex or DVC, outside the folder`
  return [
    ...(kept.length > 0 ? [`${many}: ${kept.slice(0, 5).join(', ')}${more}`] : []),
    ...found
      .filter(({ outside }) => outside === 'tracked')
      .map(({ name, path }) => `${quoted(name)} is taken from outside the folder: ${quoted(path)}`),
  ]
}

/** Refuses names with the same key: the upload would stop in the middle. */
function collisions(files: readonly LocalFile[]): readonly string[] {
  return twins(files, ({ key }) => key).map(
    (group) => `${namesOf(group)} would both be "${group[0]?.key}"`,
  )
}

/** Warns of names that Windows cannot have: a download there renames these files. */
function unfitForWindows(files: readonly LocalFile[]): readonly string[] {
  return files
    .filter(({ key }) => !isFitForWindows(key))
    .map(({ key }) => `${quoted(key)} cannot be stored by Windows`)
}

/**
 * Warns of names that differ only in case: on some systems a download would overwrite one with the
 * other.
 */
function caseTwins(files: readonly LocalFile[]): readonly string[] {
  return twins(files, ({ key }) => key.toLowerCase()).map(
    (group) => `${namesOf(group)} differ only in case`,
  )
}

function twins(
  files: readonly LocalFile[],
  keyOf: (file: LocalFile) => string,
): readonly (readonly LocalFile[])[] {
  // Most folders have none: counting is much cheaper than a group for each file.
  if (new Set(files.map(keyOf)).size === files.length) return []
  return [...Map.groupBy(files, keyOf).values()].filter((group) => group.length > 1)
}

function namesOf(files: readonly LocalFile[]): string {
  return files.map(({ path }) => quoted(path)).join(' and ')
}

/** Lines about names of a folder that are not uploaded. */
export function describeLeftOut({ ignored, excluded }: LeftOut): readonly string[] {
  const hidden = count(ignored.length, 'hidden or ignored name')
  const many = excluded.length > mostShown ? `${excluded.length} names: ` : ''
  return [
    ...(ignored.length === 0 ? [] : [`Left out ${hidden}: ${firstNames(ignored)}`]),
    ...(excluded.length === 0
      ? []
      : [`Left out ${many}${firstNames(excluded)}, as --exclude says`]),
  ]
}

const mostShown = 5

function firstNames(names: readonly string[]): string {
  return names.slice(0, mostShown).join(', ') + (names.length > mostShown ? ', …' : '')
}
