import type { DepositFile, FileApi } from '../api/files.ts'

/** Files that are renamed at the same time. */
const atOnce = 6

/** A file, and the name that it is to have. */
export interface Move {
  readonly file: DepositFile
  readonly to: string
}

interface Moved {
  /** What leads back. */
  readonly back: readonly Move[]
  /** Files that stay where they are, with the reason. */
  readonly failed: readonly { readonly file: DepositFile; readonly error: unknown }[]
}

/**
 * Renames files, a few at a time. One that cannot be renamed stays, and the others go on.
 *
 * @param onMoved told how many have been tried, of how many
 */
export async function moveAll(
  api: FileApi,
  moves: readonly Move[],
  onMoved: (done: number, total: number) => void,
): Promise<Moved> {
  const line = moves.filter(({ file, to }) => to !== file.filename)
  const total = line.length
  const back: Move[] = []
  const failed: { file: DepositFile; error: unknown }[] = []
  let done = 0
  onMoved(done, total)
  const work = async (): Promise<void> => {
    for (let move = line.shift(); move !== undefined; move = line.shift()) {
      const { file, to } = move
      try {
        back.push({ file: await api.rename(file, to), to: file.filename })
      } catch (error) {
        failed.push({ file, error })
      }
      done += 1
      onMoved(done, total)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { back, failed }
}
