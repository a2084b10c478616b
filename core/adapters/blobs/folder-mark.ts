import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../base/errno.ts'

/** A file at the root of the blobs that tells their folder from others in its place. */
export const folderMark = '.depositd.json'

/**
 * Its fields: ids of starts, the latest last, which has the number of its turn (`ID.2`); and who made it; `earlier`, where a daemon that runs made it
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

/**
 * Whether a folder with the id `there` is the one that had the id `before`, or a later state of it: of the
 * same start, and of the same turn or a later one.
 */
export function isAtLeast(there: string, before: string): boolean {
  const [now, then] = [turnOf(there), turnOf(before)]
  return now.start === then.start && now.turn >= then.turn
}

/** The id of the next turn of the same start. */
export function nextTurn(id: string): string {
  const { start, turn } = turnOf(id)
  return `${start}.${turn + 1}`
}

export function turnOf(id: string): { readonly start: string; readonly turn: number } {
  const [start = '', turn = '0'] = id.split('.')
  return { start, turn: Number(turn) }
}

/** The ids of a mark, the latest last. */
export function idsOf({ ids }: FolderMark): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}
