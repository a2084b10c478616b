import type { FileBody } from '../../core/contract/schemas.ts'
import type { Progress } from '../output/progress.ts'
import { spareBuffers } from '../../core/base/spare-memory.ts'
import { toLoads, BundleUploader } from './upload-bundle.ts'
import { DigestThread } from './digester.ts'
import { Uploader, type Destination, type LocalFile } from './upload-file.ts'

/** More would take memory and save no time: one is read while another is stored. */
const bundlesAtOnce = 4

interface UploadOptions {
  /** Files that are sent at once. */
  readonly jobs: number
  readonly progress: Progress
}

/**
 * Sends files in parallel and returns what the server stored, in the order of `files`: bundles
 * first, then large files and those of refused bundles. After a failure, uploads under way finish
 * and no further one starts.
 */
export async function uploadFiles(
  to: Destination,
  files: readonly LocalFile[],
  { jobs, progress }: UploadOptions,
): Promise<readonly FileBody[]> {
  spareBuffers()
  const stored = new Map<string, FileBody>()
  const keep = ({ key }: LocalFile, body: FileBody): void => {
    stored.set(key, body)
    progress.fileDone()
  }
  const { bundles, single } = toLoads(files)
  const bundler = new BundleUploader(to, progress.advance)
  const refused: LocalFile[] = []
  await inParallel(bundles, Math.min(jobs, bundlesAtOnce), () => async (bundle) => {
    const bodies = await bundler.upload(bundle)
    if (bodies === undefined) refused.push(...bundle)
    else for (const [file, body] of bodies) keep(file, body)
  })
  await using thread = new DigestThread()
  await inParallel([...refused, ...single], jobs, () => {
    const uploader = new Uploader(to, thread, progress.advance)
    return async (file) => keep(file, await uploader.upload(file))
  })
  return files.flatMap(({ key }) => stored.get(key) ?? [])
}

/**
 * Processes items in parallel. After a failure, those under way finish and no further one starts.
 *
 * @param worker makes what takes one item after another
 */
async function inParallel<Item>(
  items: readonly Item[],
  jobs: number,
  worker: () => (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let hasFailed = false
  async function work(): Promise<void> {
    const use = worker()
    for (const item of queue) {
      if (hasFailed) return
      await use(item)
    }
  }
  const workers = Array.from({ length: Math.min(jobs, items.length) }, () =>
    work().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
}
