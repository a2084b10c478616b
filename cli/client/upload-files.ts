import type { FileBody } from '../../core/contract/schemas.ts'
import type { Progress } from '../output/progress.ts'
import { spareMemory } from '../transfer/spare-memory.ts'
import { DigestThread } from './digester.ts'
import { Uploader, type Destination, type LocalFile } from './upload-file.ts'

interface UploadOptions {
  /** Files that are sent at once. */
  readonly jobs: number
  readonly progress: Progress
}

/**
 * Sends files, several at once, and answers with what the server stored, in the order of `files`.
 * After a failure those under way are finished and no further one is begun.
 */
export async function uploadFiles(
  to: Destination,
  files: readonly LocalFile[],
  { jobs, progress }: UploadOptions,
): Promise<readonly FileBody[]> {
  spareMemory()
  const stored = new Map<string, FileBody>()
  const queue = files.values()
  await using thread = new DigestThread()
  let hasFailed = false

  async function work(): Promise<void> {
    const uploader = new Uploader(to, thread, progress.advance)
    for (const file of queue) {
      if (hasFailed) return
      stored.set(file.key, await uploader.upload(file))
      progress.fileDone()
    }
  }

  const workers = Array.from({ length: Math.min(jobs, files.length) }, () =>
    work().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return files.flatMap(({ key }) => stored.get(key) ?? [])
}
