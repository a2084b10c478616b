import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../base/errno.ts'

/** A file at the root of the blobs that tells their folder from others in its place. */
export const folderMark = '.depositd.json'

/**
 * Its fields: ids of starts, the latest last, and who made it; `earlier`, where a daemon that runs made it
 * because another one had begun, is the id of its own start.
 */
export type FolderMark = Readonly<
  Partial<Record<'ids' | 'service' | 'home' | 'host' | 'since' | 'earlier', unknown>>
>

/** The mark of a folder of blobs; empty where there is none, or no whole one. */
export async function readFolderMark(blobs: string): Promise<FolderMark> {
  try {
    const mark: unknown = JSON.parse(await readFile(join(blobs, folderMark), 'utf8'))
    return typeof mark === 'object' && mark !== null ? mark : {}
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return {}
    throw error
  }
}

/** The ids of a mark, the latest last. */
export function idsOf({ ids }: FolderMark): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}
