import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { VersionUser } from './inventory.ts'
import type { NewFile } from './write-object.ts'

/** Logical paths in an object of a record. Its files have folders of their own. */
export const objectNames = {
  /** The revision as the API answers it. */
  record: 'record.json',
  /** What rows are made of again. */
  manifest: 'manifest.json',
  /** The files of the record, under their names. */
  files: 'files/',
  /** Files whose name is also that of a folder, encoded. */
  clashing: 'files-named-as-folders/',
  /** Versions of files that were replaced before the record was published, by their ids. */
  earlier: 'earlier-versions/',
} as const

/** The logical paths of files by their names in the record. */
export function filePaths(keys: readonly string[]): ReadonlyMap<string, string> {
  const all = new Set(keys)
  const clashing = new Set<string>()
  for (const key of keys) {
    for (let at = key.indexOf('/'); at > 0; at = key.indexOf('/', at + 1))
      if (all.has(key.slice(0, at))) clashing.add(key.slice(0, at))
  }
  return new Map(
    keys.map((key) => [
      key,
      clashing.has(key) ? objectNames.clashing + encodeURIComponent(key) : objectNames.files + key,
    ]),
  )
}

/** Who made a version: as much as is known of the account. */
export function userOf(
  id: string,
  { email, name }: { readonly email?: string; readonly name?: string } = {},
): VersionUser {
  const address = email === undefined ? `urn:uuid:${id}` : `mailto:${encodeURI(email)}`
  return { name: name ?? email ?? id, address }
}

/** Why a version was made. */
export function messageOf({ revision }: { readonly revision: number }): string {
  return revision === 0 ? 'Published' : `Corrected: revision ${revision}`
}

/** A file of an object that is written for it. */
export function textFile(path: string, text: string): NewFile {
  return {
    path,
    digest: createHash('sha256').update(text).digest('hex'),
    writeTo: (target) => writeFile(target, text, { flag: 'wx', mode: 0o644 }),
  }
}
