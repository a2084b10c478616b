import type { FileBody } from '../../core/contract/schemas.ts'
import type { Progress } from '../output/progress.ts'
import { Uploader, type Destination, type LocalFile } from './upload-file.ts'

/** Files that are sent at once. */
export const parallelUploads = 4

/**
 * Sends files, several at once, and answers with what the server stored, in the order of `files`.
 * After a failure those under way are finished and no further one is begun.
 */
export async function uploadFiles(
  to: Destination,
  files: readonly LocalFile[],
  progress: Progress,
): Promise<readonly FileBody[]> {
  const stored = new Map<string, FileBody>()
  const queue = files.values()
  let hasFailed = false

  async function work(): Promise<void> {
    await using uploader = new Uploader(to, progress.advance)
    for (const file of queue) {
      if (hasFailed) return
      stored.set(file.key, await uploader.upload(file))
      progress.fileDone()
    }
  }

  const workers = Array.from({ length: Math.min(parallelUploads, files.length) }, () =>
    work().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return files.flatMap(({ key }) => stored.get(key) ?? [])
}
