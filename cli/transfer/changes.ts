import type { Changes } from './compare-folder.ts'
import { plain } from '../plain.ts'
import { count } from '../output/units.ts'

/** Changes as JSON: what happens to which name. */
export function toChangesBody({ added, replaced, renamed, deleted, metadata }: Changes) {
  return {
    added: added.map(({ key, size }) => ({ filename: key, filesize: size })),
    replaced: replaced.map(({ local }) => ({ filename: local.key, filesize: local.size })),
    renamed: renamed.map(({ local, stored }) => ({ filename: local.key, from: stored.filename })),
    deleted: deleted.map(({ filename, filesize }) => ({ filename, filesize })),
    metadata,
  }
}

/** One line for each change: what, and to which name; with tabs between. */
export function changeLines(changes: Changes): readonly string[] {
  const { added, replaced, renamed, deleted, metadata } = changes
  return [
    ...added.map(({ key }) => `added\t${plain(key)}`),
    ...replaced.map(({ local }) => `replaced\t${plain(local.key)}`),
    ...renamed.map(
      ({ local, stored }) => `renamed\t${plain(stored.filename)}\t${plain(local.key)}`,
    ),
    ...deleted.map(({ filename }) => `deleted\t${plain(filename)}`),
    ...metadata.map(({ op, path }) => `metadata\t${op}\t${plain(path || '/')}`),
  ]
}

/** Names of the files, and pointers into the metadata. */
export function changedNames(changes: Changes): readonly string[] {
  return [
    ...changes.added.map(({ key }) => key),
    ...[...changes.replaced, ...changes.renamed].map(({ local }) => local.key),
    ...changes.deleted.map(({ filename }) => filename),
    ...changes.metadata.map(({ path }) => path),
  ]
}

/** All of it in a line: `2 added, 1 deleted`; undefined where there is nothing. */
export function summarize(changes: Changes): string | undefined {
  const parts = [
    [changes.added.length, 'added'],
    [changes.replaced.length, 'replaced'],
    [changes.renamed.length, 'renamed'],
    [changes.deleted.length, 'deleted'],
  ].flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]))
  const fields = changes.metadata.length
  const all = fields === 0 ? parts : [...parts, count(fields, 'metadata change')]
  return all.length === 0 ? undefined : all.join(', ')
}
