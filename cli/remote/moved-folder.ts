import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../core/base/errno.ts'
import { stampOf, type FolderMark, type Journaled, type MarkedFolder } from './journaled.ts'

export async function markFolder(path: string, title: string): Promise<FolderMark> {
  return { path, identity: (await identityOf(path)) ?? '', title }
}

/** Whose journal it is. */
export interface Origin {
  readonly key: string
  /** As in `placeOf`. */
  readonly remote: string
  readonly folder: FolderMark
}

interface Begun {
  readonly origin?: Origin | undefined
  readonly versions: { readonly size: number }
  readonly digests: { readonly has: (stamp: string) => boolean }
}

/** A journal that was begun under another path of the same folder. */
export interface OtherJournal {
  readonly file: string
  readonly folder: FolderMark
  /** Whether the folder still has that path too, as by a link. */
  readonly isShared: boolean
}

/**
 * Looks among the journals of this user for that of a folder that was moved. It is the same folder if
 * it is the same one for the file system; or if nothing is at its former path any more, the title is
 * the same, and half of the files or more have names, sizes and times that were sent.
 *
 * @param journals their folder
 * @param remote as in `placeOf`
 * @param read reads one
 */
export async function findOtherJournal(
  journals: string,
  remote: string,
  { folder, key }: Journaled,
  read: (file: string) => Promise<Begun>,
): Promise<OtherJournal | undefined> {
  if (folder === undefined) return undefined
  const names = await readdir(journals).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const found: OtherJournal[] = []
  for (const name of names.filter((each) => each.endsWith('.jsonl'))) {
    const file = join(journals, name)
    const { origin, versions, digests } = await read(file)
    const isOther = origin?.remote === remote && origin.key !== key && versions.size > 0
    if (!isOther) continue
    const now = await identityOf(origin.folder.path)
    const isSame = origin.folder.identity !== '' && origin.folder.identity === folder.identity
    const isGone = now === undefined && isAlike(folder, origin.folder, digests)
    if (isSame || isGone)
      found.push({ file, folder: origin.folder, isShared: now === folder.identity })
  }
  const [first, ...others] = found
  return others.length === 0 ? first : undefined
}

function isAlike(
  { title, files }: MarkedFolder,
  former: FolderMark,
  digests: Begun['digests'],
): boolean {
  const whole = files.filter(({ size }) => size > 0)
  const known = whole.filter((file) => digests.has(stampOf(file)))
  return title === former.title && known.length > 0 && known.length * 2 >= whole.length
}

async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return found && `${found.dev} ${found.ino} ${found.birthtimeMs}`
}
