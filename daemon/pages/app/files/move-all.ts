import type { DepositFile, FileApi } from '../api/files.ts'
import { movedName } from './file-tree.ts'

/** Files that are moved at the same time. */
const atOnce = 6

interface Moved {
  readonly moved: number
  /** Files that stay where they are, with the reason. */
  readonly failed: readonly { readonly file: DepositFile; readonly error: unknown }[]
}

/**
 * Moves files to a folder, a few at a time. One that cannot be moved stays, and the others go on.
 *
 * @param path of the folder, with a slash at its end; empty for the top
 * @param onMoved told how many have been tried, of how many
 */
export async function moveAll(
  api: FileApi,
  files: readonly DepositFile[],
  path: string,
  onMoved: (done: number, total: number) => void,
): Promise<Moved> {
  const line = files.filter(({ filename }) => movedName(filename, path) !== filename)
  const total = line.length
  const failed: { file: DepositFile; error: unknown }[] = []
  let done = 0
  onMoved(done, total)
  const work = async (): Promise<void> => {
    for (let file = line.shift(); file !== undefined; file = line.shift()) {
      try {
        await api.rename(file, movedName(file.filename, path))
      } catch (error) {
        failed.push({ file, error })
      }
      done += 1
      onMoved(done, total)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { moved: total - failed.length, failed }
}
