import type { FileBody } from '../../core/contract/schemas.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { fileDigest, hasDigest } from '../client/file-digest.ts'

/** A file of this machine and the one of the deposit that it belongs to. */
export interface Pair {
  readonly local: LocalFile
  readonly stored: FileBody
}

/** What would make the files of a deposit those of a folder. */
export interface FileChanges {
  readonly added: readonly LocalFile[]
  /** Same name, other bytes. */
  readonly replaced: readonly Pair[]
  /** Other name, same bytes. */
  readonly renamed: readonly Pair[]
  /** Of the deposit alone. */
  readonly deleted: readonly FileBody[]
}

/**
 * Compares by name, size and digest; a file is read only where its size leaves the question open.
 *
 * @param isKept true for names that the folder leaves out: the deposit may have them all the same
 */
export async function compareFiles(
  locals: readonly LocalFile[],
  stored: readonly FileBody[],
  isKept: (key: string) => boolean,
): Promise<FileChanges> {
  const byKey = new Map(stored.map((file) => [file.filename, file]))
  const keys = new Set(locals.map(({ key }) => key))
  const replaced: Pair[] = []
  for (const local of locals) {
    const twin = byKey.get(local.key)
    if (twin !== undefined && !(await hasDigest(local, twin)))
      replaced.push({ local, stored: twin })
  }
  const unknown = locals.filter(({ key }) => !byKey.has(key))
  const orphans = stored.filter(({ filename }) => !keys.has(filename) && !isKept(filename))
  return { replaced, ...(await findRenamed(unknown, orphans)) }
}

/** Each file of the deposit becomes one of the folder at most. Empty files are all alike. */
async function findRenamed(
  unknown: readonly LocalFile[],
  orphans: readonly FileBody[],
): Promise<Omit<FileChanges, 'replaced'>> {
  const sizes = new Set(orphans.map(({ filesize }) => filesize))
  const byDigest = Map.groupBy(orphans, ({ checksum }) => checksum)
  const renamed: Pair[] = []
  const added: LocalFile[] = []
  for (const local of unknown) {
    const isCandidate = local.size > 0 && sizes.has(local.size)
    const alike = isCandidate ? byDigest.get(await fileDigest(local)) : undefined
    const stored = alike?.shift()
    if (stored === undefined) added.push(local)
    else renamed.push({ local, stored })
  }
  const kept = new Set(renamed.map(({ stored }) => stored))
  return { added, renamed, deleted: orphans.filter((file) => !kept.has(file)) }
}
